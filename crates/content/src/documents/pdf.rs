//! Reads PDF with the crate pdf-extract: the text of each page, without headings, which a PDF does not mark.

use std::panic::AssertUnwindSafe;

use pdf_extract::{Document, PlainTextOutput, output_doc_page};

use super::pdf_check::problem;
use super::pdf_size::load;
use super::pdf_widths::list_widths;
use super::printed;
use super::{DocumentError, MAX_TEXT_BYTES};

/// Further pages are ignored.
const MAX_PAGES: usize = 2_000;

const CONTRADICTING: &str = "its objects contradict each other";

/// Reads the text of a PDF, without its status. A broken file is an error, even if the library panics; some files make
/// it loop, use up the memory or end the process, so call it in one that may end.
///
/// # Errors
/// [`DocumentError::Pdf`], when the file is broken, or unpacks to far more than it is.
pub fn read(bytes: &[u8]) -> Result<super::Document, DocumentError> {
    if !bytes.starts_with(b"%PDF") {
        return Err(DocumentError::Pdf("it does not begin as one".to_owned()));
    }
    let read = std::panic::catch_unwind(AssertUnwindSafe(|| pages(bytes)));
    let contradicting = |_| Err(CONTRADICTING.to_owned());
    let pages = read.unwrap_or_else(contradicting).map_err(DocumentError::Pdf)?;
    Ok(printed::read(&pages.iter().map(String::as_str).collect::<Vec<_>>(), true))
}

/// Returns the text of each page. One that cannot be read is empty; if none can, that is an error.
fn pages(bytes: &[u8]) -> Result<Vec<String>, String> {
    let mut document = load(bytes)?;
    if let Some(problem) = problem(&document, MAX_PAGES) {
        return Err(problem.to_owned());
    }
    list_widths(&mut document);
    let (mut pages, mut length, mut unreadable) = (Vec::new(), 0, 0);
    for number in (1..=u32::MAX).take(document.get_pages().len().min(MAX_PAGES)) {
        if length > MAX_TEXT_BYTES {
            break;
        }
        let page = std::panic::catch_unwind(AssertUnwindSafe(|| page(&document, number))).unwrap_or_default();
        unreadable += usize::from(page.is_none());
        let text = page.unwrap_or_default();
        length += text.len();
        pages.push(text);
    }
    if unreadable > 0 && unreadable == pages.len() { Err(CONTRADICTING.to_owned()) } else { Ok(pages) }
}

/// Returns the text of a page; `None` if it cannot be read.
fn page(document: &Document, number: u32) -> Option<String> {
    let mut text = String::new();
    output_doc_page(document, &mut PlainTextOutput::new(&mut text), number).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use pdf_extract::{Dictionary, Stream};

    use super::read;

    /// Returns a PDF file with one page per text.
    fn file(pages: &[&str]) -> Vec<u8> {
        let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
        let mut objects = vec![
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            format!("<< /Type /Pages /Count {} /Kids [{}] >>", pages.len(), kids.join(" ")),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        ];
        for (number, text) in pages.iter().enumerate() {
            let contents = format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET");
            objects.push(format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
                5 + 2 * number
            ));
            objects.push(format!("<< /Length {} >>\nstream\n{contents}\nendstream", contents.len()));
        }
        of_objects(&objects)
    }

    fn of_objects(objects: &[String]) -> Vec<u8> {
        of_bytes(&objects.iter().map(|object| object.clone().into_bytes()).collect::<Vec<_>>())
    }

    fn of_bytes(objects: &[Vec<u8>]) -> Vec<u8> {
        let mut file = b"%PDF-1.4\n".to_vec();
        let mut offsets = Vec::new();
        for (number, object) in objects.iter().enumerate() {
            offsets.push(file.len());
            file.extend(format!("{} 0 obj\n", number + 1).into_bytes());
            file.extend(object);
            file.extend(b"\nendobj\n");
        }
        let start = file.len();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
        for offset in &offsets {
            let _ = writeln!(table, "{offset:010} 00000 n ");
        }
        let _ = write!(table, "trailer << /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1);
        file.extend(table.into_bytes());
        file
    }

    /// Returns a PDF file with one page, whose content has this length and is packed, and the type of its stream.
    fn with_content(length: usize, of_type: &str) -> Vec<u8> {
        let mut content = Stream::new(Dictionary::new(), vec![b' '; length]);
        content.compress().unwrap();
        let length = content.content.len();
        let mut stream = format!("<< {of_type} /Filter /FlateDecode /Length {length} >>\nstream\n").into_bytes();
        stream.extend(content.content);
        stream.extend(b"\nendstream");
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << >> >>",
        ];
        let objects: Vec<Vec<u8>> = objects.iter().map(|object| object.as_bytes().to_vec()).chain([stream]).collect();
        of_bytes(&objects)
    }

    #[test]
    fn no_space_is_read_within_a_word_of_glyphs_of_one_width() {
        let names = "<0001> <0074> <0002> <0068> <0003> <0065> <0004> <0066> <0005> <0072> ";
        let map = format!(
            "begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 5 beginbfchar {names}endbfchar endcmap"
        );
        // "the", and from where it ends, "ft" and "re".
        let content = "BT /F1 10 Tf 10 700 Td <000100020003> Tj 15 0 Td <00040001> Tj 20 0 Td <00050003> Tj ET";
        let stream = |text: &str| format!("<< /Length {} >>\nstream\n{text}\nendstream", text.len());
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_owned(),
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> >> /Contents 8 0 R >>".to_owned(),
            "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [5 0 R] /ToUnicode 7 0 R >>".to_owned(),
            "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /FontDescriptor 6 0 R /DW 0 /W [1 5 500] >>".to_owned(),
            "<< /Type /FontDescriptor /FontName /A /Flags 4 >>".to_owned(),
            stream(&map),
            stream(content),
        ];
        let document = read(&of_objects(&objects)).unwrap();
        assert_eq!(document.passages[0].text, "theft re");
    }

    #[test]
    fn a_small_file_that_unpacks_to_a_large_one_is_not_read() {
        const MEGABYTE: usize = 1024 * 1024;
        assert!(read(&with_content(MEGABYTE, "")).unwrap().passages.is_empty());
        for (length, of_type, reason) in [
            (17 * MEGABYTE, "", "a page of it unpacks to more than 4 MB"),
            (65 * MEGABYTE, "", "it unpacks to more than 64 MB"),
            (65 * MEGABYTE, "/Type /ObjStm /N 1 /First 4", "it unpacks to more than 64 MB"),
        ] {
            let file = with_content(length, of_type);
            assert!(file.len() < MEGABYTE);
            let error = read(&file).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn pages_are_sections() {
        let document = read(&file(&["The pier opens at nine.", "Dogs are welcome."])).unwrap();
        let passages: Vec<_> = document.passages.iter().map(|p| (p.section.as_str(), p.text.as_str())).collect();
        assert_eq!(passages, [("Page 1", "The pier opens at nine."), ("Page 2", "Dogs are welcome.")]);
    }

    #[test]
    fn the_lines_of_a_page_are_read_as_printed_text() {
        let lines = |lines: &[(&str, u32)]| {
            let next = |(text, gap): &(&str, u32)| format!(") Tj 0 -{gap} Td ({text}");
            lines.iter().map(next).collect::<String>()
        };
        let head = |text: String| format!("Harbour Rules{text}");
        let pages = [
            head(lines(&[("1. Fog. Fog machines are for-", 40), ("bidden at all", 14), ("times.", 14), ("1", 40)])),
            head(lines(&[("2. Dogs. They are welcome.", 40), ("2", 40)])),
        ];
        let document = read(&file(&pages.each_ref().map(String::as_str))).unwrap();
        let passages: Vec<_> = document.passages.iter().map(|p| (p.section.as_str(), p.text.as_str())).collect();
        assert_eq!(document.title.as_deref(), Some("Harbour Rules"));
        assert_eq!(
            passages,
            [
                ("Page 1, 1. Fog", "Fog. Fog machines are forbidden at all times."),
                ("Page 2, 2. Dogs", "Dogs. They are welcome."),
            ]
        );
    }

    /// Returns a PDF file whose page uses a form, with the content of each form.
    fn with_forms(forms: &[&str]) -> Vec<u8> {
        let names: Vec<String> = (0..forms.len()).map(|form| format!("/X{form} {} 0 R", 6 + form)).collect();
        let mut objects = vec![
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Count 1 /Kids [4 0 R] >>".to_owned(),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << \
                 /Font << /F1 3 0 R >> /XObject << {} >> >> >>",
                names.join(" ")
            ),
        ];
        let stream = |content: &str| format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len());
        objects.push(stream("/X0 Do"));
        objects.extend(forms.iter().map(|content| stream(content)));
        of_objects(&objects)
    }

    #[test]
    fn forms_are_read_unless_they_have_no_end() {
        let text = "BT /F1 12 Tf 72 720 Td (The pier opens at nine.) Tj ET";
        let document = read(&with_forms(&["/X1 Do", text])).unwrap();
        assert_eq!(document.passages[0].text, "The pier opens at nine.");
        for endless in [&["/X0 Do"][..], &["/X1 Do", "/X0 Do"]] {
            let error = read(&with_forms(endless)).unwrap_err().to_string();
            assert!(error.contains("its forms use each other without end"), "{error}");
        }
        let levels: Vec<String> = (1..16).map(|next| format!("/X{next} Do /X{next} Do /X{next} Do")).collect();
        let levels: Vec<&str> = levels.iter().map(String::as_str).chain([text]).collect();
        let error = read(&with_forms(&levels)).unwrap_err().to_string();
        assert!(error.contains("its forms are used too often"), "{error}");
    }

    #[test]
    fn a_cut_file_is_an_error_and_no_crash() {
        let whole = file(&["The pier opens at nine."]);
        for end in (0..whole.len()).step_by(7) {
            let _ = read(&whole[..end]);
        }
        assert!(read(&whole[..40]).is_err());
    }
}

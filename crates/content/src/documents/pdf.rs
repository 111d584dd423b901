//! Reads PDF with the crate pdf-extract: the text of each page, without headings, which a PDF does not mark.

use std::panic::AssertUnwindSafe;

use super::builder::Builder;
use super::plain::paragraphs;
use super::{Document, DocumentError};

/// Further pages are ignored.
const MAX_PAGES: usize = 2_000;

/// Reads a PDF. A broken file is an error, even if the library panics.
pub(super) fn read(bytes: &[u8]) -> Result<Document, DocumentError> {
    if !bytes.starts_with(b"%PDF") {
        return Err(DocumentError::Pdf("it does not begin as one".to_owned()));
    }
    let read = std::panic::catch_unwind(AssertUnwindSafe(|| pdf_extract::extract_text_from_mem_by_pages(bytes)));
    let pages = match read {
        Ok(Ok(pages)) => pages,
        Ok(Err(error)) => return Err(DocumentError::Pdf(error.to_string())),
        Err(_) => return Err(DocumentError::Pdf("its objects contradict each other".to_owned())),
    };
    let mut builder = Builder::default();
    for (number, page) in pages.iter().take(MAX_PAGES).enumerate() {
        builder.page(number + 1);
        paragraphs(page, |paragraph| builder.block(paragraph));
    }
    Ok(builder.finish())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

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
        let mut file = "%PDF-1.4\n".to_owned();
        let mut offsets = Vec::new();
        for (number, object) in objects.iter().enumerate() {
            offsets.push(file.len());
            let _ = write!(file, "{} 0 obj\n{object}\nendobj\n", number + 1);
        }
        let start = file.len();
        let _ = write!(file, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
        for offset in &offsets {
            let _ = writeln!(file, "{offset:010} 00000 n ");
        }
        let _ = write!(file, "trailer << /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1);
        file.into_bytes()
    }

    #[test]
    fn pages_are_sections() {
        let document = read(&file(&["The pier opens at nine.", "Dogs are welcome."])).unwrap();
        let passages: Vec<_> = document.passages.iter().map(|p| (p.section.as_str(), p.text.as_str())).collect();
        assert_eq!(passages, [("Page 1", "The pier opens at nine."), ("Page 2", "Dogs are welcome.")]);
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

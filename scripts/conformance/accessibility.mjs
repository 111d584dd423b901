// Opens each page in Chromium and lets axe-core check it: node accessibility.mjs BASE [FOLDER for pictures]
import { readFileSync } from "node:fs";
import puppeteer from "puppeteer-core";

const [base, shots] = process.argv.slice(2);
const axe = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
const browser = await puppeteer.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});
const page = await browser.newPage();
// The pages' policy lets no foreign script run.
await page.setBypassCSP(true);

const link = async (path, selector) => {
  await page.goto(base + path);
  return page.$eval(selector, (a) => a.getAttribute("href"));
};
const story = await link("/", 'article a[href*="/stories/"]');
const paths = {
  today: "/", archive: "/archive", saved: "/saved", search: "/search", found: "/search?q=ferry", ask: "/ask",
  plan: "/plan", sources: "/sources", source: await link("/sources", ".card h2 a"), topics: "/topics",
  topic: "/topics/default", runs: "/runs", run: await link("/runs", "tbody td a"), spend: "/spend", models: "/models",
  settings: "/settings", story, "deep-dive": `${story}/deep-dive`, feedback: `${story}/say?kind=like`,
  "sign-in": "/sign-in", error: "/nothing", item: await link(story, ".timeline a.aside"),
};

const sent = async (button) => Promise.all([page.waitForNavigation({ timeout: 120_000 }), page.click(button)]);
const TEXT = "The harbour was closed on Monday after the ferry struck the quay. It opens again in May.";
// Pages that a form leads to.
const forms = {
  answer: ["/ask", async () => {
    await page.type("textarea[name=question]", "Which quay did the ferry Marigold Star strike?");
    await sent("form.stack button");
  }],
  refusal: ["/ask", async () => {
    await page.type("textarea[name=question]", "Who won the chess tournament of Reykjavik in 1958?");
    await sent("form.stack button");
  }],
  preview: ["/topics/default", async () => {
    await page.type("input[name=pattern]", "ferry");
    await sent("form.filter button[name=try]");
  }],
  summary: [`${story}/deep-dive`, async () => {
    await page.type("textarea[name=text]", TEXT);
    await sent("button[value=estimate]");
    await sent("button[value=summarise]");
  }],
  menu: ["/search", async () => page.click(".menu summary")],
};

// Milliseconds from the start of the navigation to the first content, and how much of the page moved after it was painted (0: nothing).
const painted = () => page.evaluate(() => new Promise((resolve) => {
  let shift = 0;
  const observer = new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
    if (!entry.hadRecentInput) shift += entry.value;
  }));
  observer.observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve([performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null, shift]), 200);
}));

let [checked, wrong] = [0, 0];
const paints = [];
const problem = (...words) => {
  wrong += 1;
  console.log(...words);
};
for (const [width, height] of [[360, 760], [1280, 900]]) {
  await page.setViewport({ width, height, isMobile: width < 500, hasTouch: width < 500 });
  for (const scheme of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    for (const name of [...Object.keys(paths), ...Object.keys(forms)]) {
      await page.goto(base + (paths[name] ?? forms[name][0]));
      const [paint, shift] = await painted();
      if (shift > 0) problem(name, width, scheme, `moves by ${shift.toFixed(4)} after it is painted`);
      if (paint !== null) paints.push([name, paint]);
      await forms[name]?.[1]();
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (wider > 0) problem(name, width, scheme, `${wider} pixels wider than the screen`);
      if (shots) await page.screenshot({ path: `${shots}/${name}-${width}-${scheme}.png`, fullPage: true });
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      for (const { id, nodes } of violations) problem(name, width, scheme, id, nodes[0].target.join(" "), nodes[0].html.slice(0, 160));
      checked += 1;
    }
  }
}
await browser.close();
paints.sort(([, a], [, b]) => b - a);
const [slowest, longest] = paints[0];
const today = paints.filter(([name]) => name === "today").map(([, paint]) => paint.toFixed(0));
console.log(`first paint of today: ${today.join(", ")} ms; slowest of all pages: ${slowest}, ${longest.toFixed(0)} ms`);
console.log(`${checked} pages checked, ${wrong} problems`);
process.exit(wrong > 0 ? 1 : 0);

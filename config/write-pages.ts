/** `npm run docs`: rewrites the pages of docs/ that are written from the code. */
import { writeFileSync } from "node:fs";
import { configurationPage, errorsPage } from "./pages.ts";

const docs = new URL("../docs/", import.meta.url);
writeFileSync(new URL("configuration.md", docs), configurationPage());
writeFileSync(new URL("errors.md", docs), errorsPage());

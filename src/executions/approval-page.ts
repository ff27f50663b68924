import { createHash } from "node:crypto";
import type { FaultDetail } from "../contract/errors.ts";
import type { OpenLink } from "./links.ts";

const style = `:root{color-scheme:light dark;--page:#f7f8f9;--card:#fff;--line:#dfe3e7;--text:#1b1d20;--quiet:#5d656e;--go:#1a6a78;--fault:#b0241d}
@media (prefers-color-scheme:dark){:root{--page:#16181b;--card:#1d2024;--line:#33383e;--text:#d6d9dd;--quiet:#a2aab3;--go:#1a6a78;--fault:#ffa8a1}}
body{font:16px/1.5 -apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;margin:0;padding:2.5rem 1rem;background:var(--page);color:var(--text)}
main{max-width:36rem;margin:0 auto;padding:1.5rem;background:var(--card);border:1px solid var(--line);border-radius:12px}
h1{font-size:1.35rem;line-height:1.3;margin:0 0 1rem;overflow-wrap:anywhere;unicode-bidi:plaintext}p{overflow-wrap:anywhere;unicode-bidi:plaintext}
label{display:block;margin:1rem 0 .25rem;font-weight:600;font-size:.9rem;overflow-wrap:anywhere}
input,select,textarea{font:inherit;width:100%;box-sizing:border-box;padding:.45rem .6rem;border:1px solid var(--quiet);border-radius:8px;background:var(--card);color:inherit}
input[type=checkbox]{width:auto}:focus-visible{outline:2px solid var(--go);outline-offset:1px}
button{font:inherit;font-weight:600;margin-top:1.5rem;padding:.5rem 1.5rem;cursor:pointer;border:0;border-radius:8px;background:var(--go);color:#fff}
button.reject{background:#b0241d}.message{white-space:pre-wrap;border-left:4px solid #9a72d0;padding:.1rem 0 .1rem 1rem;max-height:24rem;overflow:auto}
.fault{color:var(--fault)}small{color:var(--quiet)}.brand{color:var(--quiet);font-size:.85rem;font-weight:600;margin:0 0 .5rem}`;

/** No script, nothing from elsewhere, no frame around it; the form goes to where the page came from. */
export const pageHeaders: Record<string, string> = {
  "content-security-policy": `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow",
};

/** What a link is about, and a form that decides; reading it decides nothing. */
export function linkPage(
  { approve, jobName, decision, pair }: OpenLink,
  faults: FaultDetail[] = [],
  given: { comment?: string | undefined; answers?: Record<string, unknown> } = {},
): string {
  const verb = approve ? "Approve" : "Reject";
  const fields = approve ? propertiesOf(decision.form) : [];
  return page(
    `${verb} ${jobName}?`,
    `<p class="message" tabindex="0">${escaped(decision.message)}</p>
<p>The job <b>${escaped(jobName)}</b> waits for this decision. Approved, it goes on; rejected, it is stopped.</p>
${faults.map((fault) => `<p class="fault">${escaped(`${labelOf(fault.path, decision.form)} ${fault.message}`)}</p>`).join("\n")}
<form method="post">
${fields.map(([name, property]) => field(name, filled(property, given.answers, name), requiredOf(decision.form))).join("\n")}
<label for="comment">Comment (optional)</label><textarea id="comment" name="comment" rows="3" maxlength="2000">${escaped(given.comment ?? "")}</textarea>
<button type="submit" class="${approve ? "approve" : "reject"}">${verb}</button>
</form>
<p><small>The link was made by ${escaped(pair.madeBy)}. It serves once, until <time datetime="${pair.expiresAt.toISOString()}">${until.format(pair.expiresAt)}</time>.</small></p>`,
  );
}

/** Without a script the page does not know where it is read. */
const until = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "long",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
  timeZoneName: "short",
});

/** What the form calls the place of a fault: the label of its field. */
function labelOf(path: string, form: Record<string, unknown> | undefined): string {
  const found = propertiesOf(form).find(([name]) => path === `/answers/${name}`);
  return found ? String(found[1].title ?? found[0]) : path;
}

/** A page that says one thing. */
export function plainPage(title: string, text: string): string {
  return page(title, `<p>${escaped(text)}</p>`);
}

type Property = { type?: unknown; title?: unknown; description?: unknown; enum?: unknown; default?: unknown };

/** Comment and answers as a browser sends them: every value is text, read by the type that the form gives its property. */
export function readForm(text: string, form: Record<string, unknown> | undefined) {
  const sent = new URLSearchParams(text);
  const answers: Record<string, unknown> = {};
  for (const [name, property] of propertiesOf(form)) {
    const value = sent.get(`answers.${name}`);
    if (property.type === "boolean") answers[name] = value !== null;
    else if (value !== null && value !== "") answers[name] = readValue(value, property);
  }
  const comment = sent.get("comment")?.trim().slice(0, 2000);
  return { ...(comment ? { comment } : {}), ...(form ? { answers } : {}) };
}

/** What can't be read as its type is left as text, for the schema to refuse. */
function readValue(value: string, property: Property): unknown {
  if (property.type === "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function propertiesOf(form: Record<string, unknown> | undefined): [string, Property][] {
  const properties = form?.properties;
  if (typeof properties !== "object" || properties === null) return [];
  return Object.entries(properties).filter(
    (entry): entry is [string, Property] => typeof entry[1] === "object" && entry[1] !== null,
  );
}

function requiredOf(form: Record<string, unknown> | undefined): string[] {
  return Array.isArray(form?.required) ? (form.required as string[]) : [];
}

/** What was typed stands in the field again. */
function filled(property: Property, answers: Record<string, unknown> | undefined, name: string): Property {
  return answers && Object.hasOwn(answers, name) ? { ...property, default: answers[name] } : property;
}

function field(name: string, property: Property, required: string[]): string {
  const id = escaped(`answers.${name}`);
  const label = escaped(String(property.title ?? name));
  const must = required.includes(name) ? " required" : "";
  const about = property.description ? `<small>${escaped(String(property.description))}</small>` : "";
  const value = property.default === undefined ? "" : textOf(property.default);
  if (property.type === "boolean") {
    const checked = property.default === true ? " checked" : "";
    return `<label><input type="checkbox" name="${id}"${checked}> ${label}</label>${about}`;
  }
  const head = `<label for="${id}">${label}${must ? "" : " (optional)"}</label>`;
  if (Array.isArray(property.enum)) {
    const options = property.enum.map((item) => {
      const text = escaped(textOf(item));
      return `<option value="${text}"${item === property.default ? " selected" : ""}>${text}</option>`;
    });
    return `${head}<select id="${id}" name="${id}"${must}><option></option>${options.join("")}</select>${about}`;
  }
  if (property.type === "string" || property.type === "integer" || property.type === "number") {
    const kind = property.type === "string" ? "text" : "number";
    const step = property.type === "number" ? ' step="any"' : "";
    return `${head}<input id="${id}" name="${id}" type="${kind}"${step} value="${escaped(value)}"${must}>${about}`;
  }
  return `${head}<textarea id="${id}" name="${id}" rows="4" placeholder="JSON"${must}>${escaped(value)}</textarea>${about}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>
<style>${style}</style></head>
<body><main><p class="brand">Pawl</p><h1>${escaped(title)}</h1>
${body}
</main></body></html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

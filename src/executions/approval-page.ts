import { createHash } from "node:crypto";
import type { FaultDetail } from "../contract/errors.ts";
import type { OpenLink } from "./links.ts";

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:38rem;margin:3rem auto;padding:0 1rem;color:#1b1b1f}
h1{font-size:1.4rem}label{display:block;margin:1rem 0 .25rem}input,select,textarea{font:inherit;width:100%;box-sizing:border-box;padding:.4rem}
input[type=checkbox]{width:auto}button{font:inherit;margin-top:1.5rem;padding:.5rem 1.5rem;cursor:pointer}
.message{white-space:pre-wrap;border-left:4px solid #888;padding-left:1rem}.fault{color:#a00}small{color:#555}`;

/** No script, nothing from elsewhere, no frame around it; the form goes to where the page came from. */
export const pageHeaders: Record<string, string> = {
  "content-security-policy": `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow",
};

/** What a link is about, and a form that decides; reading it decides nothing. */
export function linkPage({ approve, jobName, decision, pair }: OpenLink, faults: FaultDetail[] = []): string {
  const verb = approve ? "Approve" : "Reject";
  const fields = approve ? propertiesOf(decision.form) : [];
  return page(
    `${verb} ${jobName}?`,
    `<p class="message">${escaped(decision.message)}</p>
<p>The job <b>${escaped(jobName)}</b> waits for this decision. Approved, it goes on; rejected, it is stopped.</p>
${faults.map((fault) => `<p class="fault">${escaped(`${fault.path} ${fault.message}`)}</p>`).join("\n")}
<form method="post">
${fields.map(([name, property]) => field(name, property, requiredOf(decision.form))).join("\n")}
<label for="comment">Comment (optional)</label><textarea id="comment" name="comment" rows="3" maxlength="2000"></textarea>
<button type="submit">${verb}</button>
</form>
<p><small>The link was made by ${escaped(pair.madeBy)}. It serves once, until ${escaped(pair.expiresAt.toISOString())}.</small></p>`,
  );
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
  const head = `<label for="${id}">${label}</label>`;
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
<body><h1>${escaped(title)}</h1>
${body}
</body></html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { madeOnce } from "./alone.ts";

const bin = fileURLToPath(new URL("../bin", import.meta.resolve("@sparticuz/chromium")));
const { version } = JSON.parse(readFileSync(join(bin, "../package.json"), "utf8"));

// Of the package's own way, `executablePath()`, this takes the unpacking only: it does that under fixed names in the
// temporary folder, and takes what another process or user has begun there for whole.
const unpack = `
  import { inflate } from "@sparticuz/chromium";
  for (const file of process.argv.slice(1)) await inflate(file);
`;

/** The browser that the npm package brings along, unpacked once for each user, with the fonts and libraries beside it. */
export async function packedBrowser(): Promise<{ executablePath: string; libraries: string; fonts: string }> {
  const { uid } = userInfo();
  const home = join(tmpdir(), `pawl-test-browser-${version}-${uid}`);
  const at = (name: string) => join(home, name);
  await madeOnce(
    `${home}.unpacking`,
    () => mine(at("chromium"), uid),
    () => {
      const fresh = mkdtempSync(`${home}-`);
      const files = ["chromium.br", "fonts.tar.br", "al2023.tar.br"].map((name) => join(bin, name));
      try {
        const { status, stderr } = spawnSync(
          process.execPath,
          ["--input-type=module", "--eval", unpack, ...files],
          { env: { ...process.env, TMPDIR: fresh }, cwd: bin, encoding: "utf8" },
        );
        if (status !== 0) throw new Error(`The package @sparticuz/chromium can't be unpacked: ${stderr}`);
        // That of the package names folders of a system that this is not.
        writeFileSync(join(fresh, "fonts.conf"), fontsIn(at("fonts")));
        renameSync(fresh, home);
      } finally {
        rmSync(fresh, { recursive: true, force: true });
      }
    },
  );
  return { executablePath: at("chromium"), libraries: at("al2023/lib"), fonts: at("fonts.conf") };
}

/** Everybody may put something into the temporary folder. */
function mine(file: string, uid: number): boolean {
  return statSync(file, { throwIfNoEntry: false })?.uid === uid;
}

/** Those of the system, and these where it has none: without any, no text has a width. */
const fontsIn = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${folder}</dir>
  <cachedir>${folder}</cachedir>
</fontconfig>
`;

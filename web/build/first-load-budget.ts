import { gzipSync } from "node:zlib";
import type { Plugin, Rollup } from "vite";

/** Fails the build when the script that every page needs before it shows anything passes the budget, compressed by gzip. */
export function firstLoadBudget({ kilobytes }: { kilobytes: number }): Plugin {
  return {
    name: "pawl:first-load-budget",
    apply: "build",
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const needed = new Set<Rollup.OutputChunk>();
      const add = (chunk: Rollup.OutputChunk) => {
        if (needed.has(chunk)) return;
        needed.add(chunk);
        for (const name of chunk.imports) {
          const next = chunks.find(({ fileName }) => fileName === name);
          if (next) add(next);
        }
      };
      for (const chunk of chunks) if (chunk.isEntry) add(chunk);
      const size = [...needed].reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0) / 1000;
      const list = [...needed].map(({ fileName }) => fileName).join(", ");
      if (size > kilobytes) {
        this.error(`The first load is ${size.toFixed(0)} kB compressed, more than ${kilobytes}: ${list}.`);
      }
      this.info(`The first load is ${size.toFixed(0)} kB compressed, of ${kilobytes} at most.`);
    },
  };
}

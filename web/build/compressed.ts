import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const worthIt = /\.(js|css|html|svg|json)$/;
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };

/** Puts a `.br` and a `.gz` beside every file, so that the server compresses nothing while it answers. */
export function compressed(): Plugin {
  return {
    name: "pawl:compressed",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (!worthIt.test(file.fileName)) continue;
          const source = Buffer.from(file.type === "chunk" ? file.code : file.source);
          // Smaller ones fit into one packet anyway.
          if (source.length < 1400) continue;
          this.emitFile({
            type: "asset",
            fileName: `${file.fileName}.br`,
            source: brotliCompressSync(source, quality),
          });
          this.emitFile({
            type: "asset",
            fileName: `${file.fileName}.gz`,
            source: gzipSync(source, { level: 9 }),
          });
        }
      },
    },
  };
}

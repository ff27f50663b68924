import type { StoredFile } from "@contract/file.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { asClientError } from "../../services/api.ts";
import { upload } from "../configuration/upload.ts";

export interface Upload {
  key: number;
  file: File;
  state:
    | { kind: "sending"; share: number }
    | { kind: "done"; stored: StoredFile }
    /** A file has this name; it is replaced only when that is asked for. */
    | { kind: "taken" }
    | { kind: "failed"; error: unknown };
}

export interface Uploads {
  all: Upload[];
  add: (files: File[]) => void;
  replace: (key: number) => void;
  again: (key: number) => void;
  /** Ends it if it is under way, and forgets it. */
  drop: (key: number) => void;
}

let made = 0;

/**
 * Uploads files side by side and tells how far each is; what is under way ends with the page.
 * @param target what each of them becomes; its own name when left out
 */
export function useUploads(target?: { name: string; version: number }): Uploads {
  const queryClient = useQueryClient();
  const [all, setAll] = useState<Upload[]>([]);
  const running = useRef(new Map<number, AbortController>());
  useEffect(() => {
    const { current } = running;
    return () => {
      for (const ending of current.values()) ending.abort(new Error("The page was left."));
    };
  }, []);

  const set = (key: number, state: Upload["state"]) =>
    setAll((before) => before.map((one) => (one.key === key ? { ...one, state } : one)));

  async function send(key: number, file: File, replace: boolean): Promise<void> {
    const ending = new AbortController();
    running.current.set(key, ending);
    set(key, { kind: "sending", share: 0 });
    try {
      const stored = await upload<StoredFile>("uploadFile", {
        query: {
          name: target?.name ?? file.name,
          onExisting: replace ? "replace" : "fail",
          ...(target ? { expectedVersion: target.version } : {}),
        },
        type: file.type || "application/octet-stream",
        content: file,
        onProgress: (share) => set(key, { kind: "sending", share }),
        signal: ending.signal,
      });
      set(key, { kind: "done", stored });
      queryClient.setQueryData(["files", "one", stored.id], stored);
      void queryClient.invalidateQueries({ queryKey: ["files", "list"] });
    } catch (error) {
      if (ending.signal.aborted) return;
      const taken = asClientError(error)?.code === "CONFLICT" && !replace;
      set(key, taken ? { kind: "taken" } : { kind: "failed", error });
    } finally {
      running.current.delete(key);
    }
  }

  const fileOf = (key: number) => all.find((one) => one.key === key)!.file;
  return {
    all,
    add(files) {
      const added = files.map(
        (file): Upload => ({ key: ++made, file, state: { kind: "sending", share: 0 } }),
      );
      setAll((before) => [...before, ...added]);
      for (const { key, file } of added) void send(key, file, target !== undefined);
    },
    replace: (key) => void send(key, fileOf(key), true),
    again: (key) => void send(key, fileOf(key), target !== undefined),
    drop(key) {
      running.current.get(key)?.abort(new Error("The upload was ended."));
      setAll((before) => before.filter((one) => one.key !== key));
    },
  };
}

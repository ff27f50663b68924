import type { Command } from "commander";
import { findCollection } from "./find-collection.ts";
import { findJob } from "./find-job.ts";
import { openSession } from "./session.ts";
import { safe } from "./text.ts";

export function addJobMove(group: Command): void {
  group
    .command("move")
    .argument("<job>", "name or id")
    .argument("<collection>", "name or id of a collection, or none")
    .description("put a job in a collection, or take it out; that makes no new version")
    .action(async (nameOrId: string, to: string, _options, command: Command) => {
      const session = openSession(command);
      const job = await findJob(session.client, nameOrId);
      const collection = to === "none" ? null : await findCollection(session.client, to);
      // As it was written: what a job shows has defaults filled in, and to save those would make a version.
      const params = { id: job.id };
      const [current] = (await session.client.listJobVersions({ params, query: { size: 1 } })).data;
      const { data } = await session.client.replaceJob({
        params,
        query: { expectedVersion: current!.version },
        body: { ...current!.definition, collectionId: collection?.id ?? null },
      });
      session.result(data, () =>
        collection
          ? `${safe(data.name)} is in ${safe(collection.name)} now.`
          : `${safe(data.name)} is in no collection now.`,
      );
    });
}

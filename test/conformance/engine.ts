import { after, before, describe } from "node:test";
import type { Engine } from "../../src/engine/engine.ts";
import type { EngineFixture } from "./fixture.ts";
import { cells } from "./suite/cells.ts";
import { decisions } from "./suite/decisions.ts";
import { history } from "./suite/history.ts";
import { moments } from "./suite/moments.ts";
import { recovery } from "./suite/recovery.ts";

/** What a group of promises is held against: the engine that is open now may be another later. */
export interface UnderTest {
  readonly on: EngineFixture;
  readonly engine: Engine;
  /** Closes the engine without grace, and opens one on what it left. */
  reopen(): Promise<void>;
}

/** The promises that every engine keeps, held to on the given one. */
export function conformance(name: string, openFixture: () => Promise<EngineFixture>): void {
  describe(`${name} conforms`, () => {
    let on: EngineFixture;
    let engine: Engine;
    const under: UnderTest = {
      get on() {
        return on;
      },
      get engine() {
        return engine;
      },
      async reopen() {
        await on.close(engine);
        engine = await on.open();
      },
    };

    before(async () => {
      on = await openFixture();
      engine = await on.open();
    });
    after(() => on?.dispose());

    cells(under);
    decisions(under);
    history(under);
    moments(under);
    recovery(under);
  });
}

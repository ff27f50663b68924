import { embeddedFixture } from "./embedded-fixture.ts";
import { conformance } from "./engine.ts";

conformance("the embedded engine", embeddedFixture);

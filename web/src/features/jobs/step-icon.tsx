import {
  IconBox,
  IconCode,
  IconDatabase,
  IconHandStop,
  IconHourglass,
  IconMail,
  IconNotes,
  IconRoute,
  IconSparkles,
  IconTransform,
  IconVariable,
  IconWorld,
} from "@tabler/icons-react";
import type { IconType } from "../../components/icon.ts";

const icons: Record<string, IconType> = {
  http: IconWorld,
  transform: IconTransform,
  script: IconCode,
  wait: IconHourglass,
  log: IconNotes,
  set: IconVariable,
  approval: IconHandStop,
  job: IconRoute,
  sql: IconDatabase,
  email: IconMail,
  agent: IconSparkles,
};

/** The icon of a step type; a box for one that came later. */
export function StepIcon({ type, size = 18 }: { type: string; size?: number }) {
  const Icon = icons[type] ?? IconBox;
  return <Icon size={size} stroke={1.6} />;
}

import type { ComponentType } from "react";

/** One of the icons of Tabler. */
export type IconType = ComponentType<{ size?: number | string; stroke?: number | string }>;

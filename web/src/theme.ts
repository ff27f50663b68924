import { Alert, type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

/** The one accent: a calm petrol. White text on shade 7 has a contrast of 6.1. */
const petrol: MantineColorsTuple = [
  "#eaf6f8",
  "#d7e9ed",
  "#add2da",
  "#80bac7",
  "#5ba6b7",
  "#449aac",
  "#297a8b",
  "#1a6a78",
  "#125663",
  "#06424d",
];

/** The greys of the dark scheme, as cool as its cards: fields and buttons would look brown on them. */
const dark: MantineColorsTuple = [
  "#d6d9dd",
  "#b8bdc4",
  "#8b929b",
  "#6b727b",
  "#3b4148",
  "#30353b",
  "#262a2f",
  "#1d2024",
  "#101214",
  "#0c0e10",
];

export const theme = createTheme({
  primaryColor: "petrol",
  primaryShade: { light: 7, dark: 6 },
  colors: { petrol, dark },
  autoContrast: true,
  defaultRadius: "md",
  radius: { lg: "12px" },
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily: '-apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontWeight: "650",
    sizes: {
      h1: { fontSize: "1.5rem", lineHeight: "1.3" },
      h2: { fontSize: "1.15rem", lineHeight: "1.35" },
      h3: { fontSize: "1rem", lineHeight: "1.4" },
    },
  },
  components: {
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300, multiline: true, maw: 360 } },
    Modal: {
      defaultProps: {
        centered: true,
        radius: "lg",
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: { "aria-label": "Close" },
        styles: { title: { fontWeight: 650 } },
      },
    },
    Badge: { defaultProps: { variant: "default", tt: "none", fw: 500 } },
    Alert: Alert.extend({
      vars: (_, { color }) =>
        color === "red"
          ? { root: { "--alert-bg": "var(--st-red-bg)", "--alert-color": "var(--st-red)" } }
          : { root: {} },
    }),
    Paper: { defaultProps: { withBorder: true, radius: "lg" } },
    // The crosses that close them have no word of their own.
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Dismiss" } } },
    Drawer: {
      defaultProps: { closeButtonProps: { "aria-label": "Close" }, styles: { title: { fontWeight: 650 } } },
    },
    Menu: { defaultProps: { shadow: "md", position: "bottom-end" } },
  },
});

/** Dimmed text has a contrast of 4.5 on the page and on cards. */
export const variables: CSSVariablesResolver = () => ({
  variables: { "--mantine-color-error": "var(--st-red)" },
  light: { "--mantine-color-dimmed": "#5d656e", "--mantine-color-anchor": "#125f6d" },
  dark: {
    "--mantine-color-body": "#16181b",
    "--mantine-color-dimmed": "#a2aab3",
    "--mantine-color-anchor": "#7cc4d2",
    "--mantine-color-petrol-light": "#1d3a41",
    "--mantine-color-petrol-light-hover": "#24464e",
    "--mantine-color-petrol-light-color": "#9ad9e5",
  },
});

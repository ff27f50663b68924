import { Page } from "../../components/page.tsx";

export function ExecutionPage() {
  return <Page title="Execution">{null}</Page>;
}

import { Page } from "../../components/page.tsx";

export function JobPage() {
  return <Page title="Job">{null}</Page>;
}

import { Page } from "../../components/page.tsx";

export function NewJobPage() {
  return <Page title="New job">{null}</Page>;
}

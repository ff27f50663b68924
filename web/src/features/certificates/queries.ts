import type { Certificate, CertificateItem } from "@contract/certificate.ts";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../services/api.ts";
import { searchSource } from "../configuration/search-source.ts";

export const certificateSource = searchSource<CertificateItem>("certificates", api.searchCertificates);

export function certificateQuery(id: string) {
  return queryOptions({
    queryKey: ["certificates", "one", id],
    queryFn: async ({ signal }): Promise<Certificate> =>
      (await api.getCertificate({ params: { id }, signal })).data,
  });
}

/** Hands text to the browser as a file to save. */
export function saveFile(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  // Names of jobs may hold anything; those of files may not.
  link.download = name.replace(/[\\/:*?"<>|\p{Cc}]+/gu, "-").slice(0, 150);
  link.click();
  URL.revokeObjectURL(url);
}

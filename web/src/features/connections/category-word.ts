/** What people read for a category: api is "API", the others are words. */
export function categoryWord(category: string): string {
  return category === "api" ? "API" : category.replace(/^./, (letter) => letter.toUpperCase());
}

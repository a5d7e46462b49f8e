const keyOf = (name: string) => `tracker.draft.${name}`

/** Half-filled forms, kept in this tab so that neither a reload nor a new sign-in loses them. */
export function readDraft<Values extends object>(
  name: string | undefined,
  initial?: Values,
): Partial<Values> {
  const text = name === undefined ? null : sessionStorage.getItem(keyOf(name))
  if (text === null) return {}
  const kept: Record<string, string> = JSON.parse(text)
  // Fields that the form no longer has are dropped.
  const isField = (key: string) => initial === undefined || key in initial
  return Object.fromEntries(Object.entries(kept).filter(([key]) => isField(key))) as Partial<Values>
}

export function writeDraft(name: string | undefined, values: object): void {
  if (name !== undefined) sessionStorage.setItem(keyOf(name), JSON.stringify(values))
}

export function forgetDraft(name: string | undefined): void {
  if (name !== undefined) sessionStorage.removeItem(keyOf(name))
}

import { signal } from '@preact/signals'

/** Reads a value that this client has stored in the browser. Returns undefined if there is no valid one. */
export function readStoredJson<Value>(key: string): Value | undefined {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? 'null') as Value | null) ?? undefined
  } catch {
    return undefined
  }
}

const prefix = 'tracker.draft.'
const keyOf = (name: string) => prefix + name

const readNames = (): string[] =>
  Object.keys(sessionStorage).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []))

/**
 * A signal, so that components that show whether there are drafts are rendered again. Unit tests have no
 * session storage.
 */
const names = signal<readonly string[]>(typeof sessionStorage === 'undefined' ? [] : readNames())

/** Reads an unfinished form. It is stored in this tab, so it survives a reload and a new sign-in. */
export function readDraft<Values extends object>(
  name: string | undefined,
  initial?: Values,
): Partial<Values> {
  const text = name === undefined ? null : sessionStorage.getItem(keyOf(name))
  if (text === null) return {}
  const draft: Record<string, string> = JSON.parse(text)
  // Fields that the form no longer has are dropped.
  const isField = (key: string) => initial === undefined || key in initial
  return Object.fromEntries(Object.entries(draft).filter(([key]) => isField(key))) as Partial<Values>
}

/** Stores a draft, or deletes it if it has no values. */
export function writeDraft(name: string | undefined, values: object): void {
  if (name === undefined) return
  if (Object.keys(values).length === 0) {
    deleteDraft(name)
    return
  }
  sessionStorage.setItem(keyOf(name), JSON.stringify(values))
  if (!names.peek().includes(name)) names.value = readNames()
}

export function deleteDraft(name: string | undefined): void {
  if (name === undefined) return
  sessionStorage.removeItem(keyOf(name))
  if (names.peek().includes(name)) names.value = readNames()
}

/** Returns whether there is unsaved text for the record: drafts are named after their record. */
export const hasDraftOf = (id: string): boolean => names.value.some((name) => name.includes(id))

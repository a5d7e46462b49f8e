import { priorityNames } from '../../assignment/priority.ts'
import { assignedTo, datesBetween } from '../../data/planned.ts'
import { parseDay } from '../../time/days.ts'

interface Named {
  readonly id: string
  readonly name: string
}

export interface Vocabulary {
  readonly people: readonly Named[]
  readonly labels: readonly Named[]
}

export type QuickToken =
  | { readonly kind: 'person' | 'label'; readonly source: string; readonly id: string }
  | { readonly kind: 'priority'; readonly source: string; readonly priority: number }
  | { readonly kind: 'end'; readonly source: string; readonly day: string }

export interface QuickText {
  /** The text without its tokens. */
  readonly name: string
  readonly tokens: readonly QuickToken[]
}

/** Days have three words at most, such as "in 2 weeks". */
const dayWordsMax = 3

/**
 * Finds @person, #label, !priority and a day at the end. What is unknown stays text, and so do the sources in
 * `kept`. A text of nothing but tokens is a name.
 */
export function parseQuickText(
  text: string,
  vocabulary: Vocabulary,
  kept: ReadonlySet<string> = new Set(),
): QuickText {
  const tokens: QuickToken[] = []
  let rest = text.trim()
  const take = (token: QuickToken | undefined) => {
    if (token === undefined || kept.has(token.source)) return false
    tokens.push(token)
    const at = rest.lastIndexOf(token.source)
    rest = `${rest.slice(0, at)} ${rest.slice(at + token.source.length)}`.replace(/\s+/g, ' ').trim()
    return true
  }
  for (const token of markedTokens(rest, vocabulary)) take(token)
  const words = rest.split(' ')
  for (let count = Math.min(dayWordsMax, words.length - 1); count > 0; count -= 1)
    if (take(dayToken(words.slice(-count).join(' ')))) break
  return rest === '' ? { name: text.trim(), tokens: [] } : { name: rest, tokens }
}

/** Numbers alone are not days, because they are more often versions. */
function dayToken(source: string): QuickToken | undefined {
  const day = /\p{L}|^\d{4}-/u.test(source) ? parseDay(source) : undefined
  return day === undefined ? undefined : { kind: 'end', source, day }
}

/** An assignment has one person and one priority: the last ones count, and earlier ones stay text. */
function markedTokens(text: string, vocabulary: Vocabulary): readonly QuickToken[] {
  const tokens = [...text.matchAll(/(?<=^|\s)[@#!](?=\p{L}|\p{N})/gu)].flatMap(
    ({ 0: mark, index }) => tokenAt(mark, text.slice(index + 1), vocabulary) ?? [],
  )
  return tokens.filter(
    ({ kind }, index) => kind === 'label' || index === tokens.findLastIndex((token) => token.kind === kind),
  )
}

function tokenAt(mark: string, after: string, { people, labels }: Vocabulary): QuickToken | undefined {
  if (mark === '!') return priorityToken(after)
  return mark === '@' ? namedToken('person', mark, after, people) : namedToken('label', mark, after, labels)
}

/** The longest name that the text begins with; else the only one whose first word it begins with. */
function namedToken(
  kind: 'person' | 'label',
  mark: string,
  text: string,
  named: readonly Named[],
): QuickToken | undefined {
  const begins = named
    .filter(({ name }) => startsWithWord(text, name))
    .toSorted((a, b) => b.name.length - a.name.length)[0]
  if (begins) return { kind, source: mark + text.slice(0, begins.name.length), id: begins.id }
  const [word = ''] = text.split(/\s/)
  const [only, ...others] = named.filter(({ name }) => startsWithWord(name, word))
  return only && others.length === 0 ? { kind, source: mark + word, id: only.id } : undefined
}

const inLowerCase = (text: string): string => text.toLocaleLowerCase()

const startsWithWord = (text: string, start: string): boolean =>
  inLowerCase(text).startsWith(inLowerCase(start)) && /^(\s|$)/.test(text.slice(start.length))

function priorityToken(text: string): QuickToken | undefined {
  const [word = ''] = text.split(/\s/)
  const names = [priorityNames(), ['', 'low', 'medium', 'high', 'urgent']]
  const priority = names
    .map((some) => some.findIndex((name, index) => index > 0 && inLowerCase(name) === inLowerCase(word)))
    .find((index) => index > 0)
  return priority === undefined ? undefined : { kind: 'priority', source: `!${word}`, priority }
}

/** Returns what the tokens of a name set. */
export function tokensIn(tokens: readonly QuickToken[]) {
  let [personId, endDay]: [string | undefined, string] = [undefined, '']
  let priority: number | undefined
  const labelIds: string[] = []
  for (const token of tokens) {
    if (token.kind === 'person') personId = token.id
    if (token.kind === 'label') labelIds.push(token.id)
    if (token.kind === 'priority') priority = token.priority
    if (token.kind === 'end') endDay = token.day
  }
  return { personId, endDay, priority, labelIds }
}

/** Returns the fields of an assignment that its name sets; `personId` is responsible if it names nobody. */
export function fieldsOf(tokens: readonly QuickToken[], personId: string) {
  const { priority, endDay, ...set } = tokensIn(tokens)
  return {
    ...datesBetween('', endDay),
    ...assignedTo(set.personId ?? personId),
    ...(priority !== undefined && { priority }),
  }
}

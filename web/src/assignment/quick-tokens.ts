import { assignedTo, datesBetween } from '../data/assignments.ts'
import { parseDay } from '../time/days.ts'
import { parseDuration } from '../time/hours.ts'
import { priorityNames } from './priority.ts'

interface Named {
  readonly id: string
  readonly name: string
}

export interface Vocabulary {
  readonly people: readonly Named[]
  readonly labels: readonly Named[]
}

/** A part of a name that sets a value, such as @ann. `source` is its text. */
export type QuickToken =
  | { readonly kind: 'person' | 'label'; readonly source: string; readonly id: string }
  | { readonly kind: 'priority'; readonly source: string; readonly priority: number }
  | { readonly kind: 'end'; readonly source: string; readonly day: string }
  | { readonly kind: 'hours'; readonly source: string; readonly hours: number }

export interface QuickText {
  /** The text without its tokens. */
  readonly name: string
  readonly tokens: readonly QuickToken[]
}

/** Days have three words at most, such as "in 2 weeks". */
const dayWordsMax = 3

/**
 * Finds @person, #label and !priority, and a day and hours at the end, in any order. Unknown names and the
 * sources in `kept` remain text. A text that consists only of tokens remains text as well, because an
 * assignment needs a name.
 */
export function parseQuickText(
  text: string,
  vocabulary: Vocabulary,
  kept: ReadonlySet<string> = new Set(),
): QuickText {
  const tokens: QuickToken[] = []
  let remaining = text.trim()
  const take = (token: QuickToken | undefined) => {
    if (token === undefined || kept.has(token.source)) return false
    tokens.push(token)
    const start = remaining.lastIndexOf(token.source)
    remaining = `${remaining.slice(0, start)} ${remaining.slice(start + token.source.length)}`
      .replace(/\s+/g, ' ')
      .trim()
    return true
  }
  for (const token of markedTokens(remaining, vocabulary)) take(token)
  const takeLast = (wordsMax: number, tokenOf: (source: string) => QuickToken | undefined) => {
    const words = remaining.split(' ')
    for (let count = Math.min(wordsMax, words.length - 1); count > 0; count -= 1)
      if (take(tokenOf(words.slice(-count).join(' ')))) return true
    return false
  }
  const hasHours = takeLast(1, hoursToken)
  takeLast(dayWordsMax, dayToken)
  if (!hasHours) takeLast(1, hoursToken)
  return remaining === '' ? { name: text.trim(), tokens: [] } : { name: remaining, tokens }
}

/** Parses a day. Numbers alone, such as 1.2, remain text, because they are more often versions. */
function dayToken(source: string): QuickToken | undefined {
  const day = /\p{L}|^\d{4}-/u.test(source) ? parseDay(source) : undefined
  return day === undefined ? undefined : { kind: 'end', source, day }
}

/** Parses planned hours with their unit, such as 2h or 1h30. Other numbers belong to the name. */
function hoursToken(source: string): QuickToken | undefined {
  const hours = /^\d+([.,]\d+)?(h(\d{1,2})?|min)$/i.test(source) ? parseDuration(source) : undefined
  return hours === undefined ? undefined : { kind: 'hours', source, hours }
}

/** An assignment has one person and one priority, so earlier tokens of these kinds remain text. */
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

/** Finds the longest name at the beginning of the text, or else the only name whose first word is there. */
function namedToken(
  kind: 'person' | 'label',
  mark: string,
  text: string,
  named: readonly Named[],
): QuickToken | undefined {
  const longest = named
    .filter(({ name }) => startsWithWord(text, name))
    .toSorted((a, b) => b.name.length - a.name.length)[0]
  if (longest) return { kind, source: mark + text.slice(0, longest.name.length), id: longest.id }
  const [word = ''] = text.split(/\s/)
  const matches = named.filter(({ name }) => startsWithWord(name, word))
  return matches[0] && matches.length === 1 ? { kind, source: mark + word, id: matches[0].id } : undefined
}

const inLowerCase = (text: string): string => text.toLocaleLowerCase()

const startsWithWord = (text: string, start: string): boolean =>
  inLowerCase(text).startsWith(inLowerCase(start)) && /^(\s|$)/.test(text.slice(start.length))

function priorityToken(text: string): QuickToken | undefined {
  const [word = ''] = text.split(/\s/)
  const nameLists = [priorityNames(), ['', 'low', 'medium', 'high', 'urgent']]
  const priority = nameLists
    .map((names) => names.findIndex((name, index) => index > 0 && inLowerCase(name) === inLowerCase(word)))
    .find((index) => index > 0)
  return priority === undefined ? undefined : { kind: 'priority', source: `!${word}`, priority }
}

/** Returns the values that the tokens of a name set. */
export function valuesOfTokens(tokens: readonly QuickToken[]) {
  let [personId, endDay]: [string | undefined, string] = [undefined, '']
  let priority: number | undefined
  let amountHours: number | undefined
  const labelIds: string[] = []
  for (const token of tokens) {
    if (token.kind === 'person') personId = token.id
    if (token.kind === 'label') labelIds.push(token.id)
    if (token.kind === 'priority') priority = token.priority
    if (token.kind === 'end') endDay = token.day
    if (token.kind === 'hours') amountHours = token.hours
  }
  return { personId, endDay, priority, amountHours, labelIds }
}

/** Returns the fields of a new assignment. `personId` is responsible if the tokens contain no person. */
export function fieldsOf(tokens: readonly QuickToken[], personId: string) {
  const { priority, amountHours, endDay, ...values } = valuesOfTokens(tokens)
  return {
    ...datesBetween('', endDay),
    ...assignedTo(values.personId ?? personId),
    ...(priority !== undefined && { priority }),
    ...(amountHours !== undefined && { amountHours }),
  }
}

import { foldText, locale } from '../texts/text.ts'

/** Words in all languages of the client. Only those in the language of the user are shown. */
export interface WordsByLanguage {
  readonly en: string
  readonly pt: string
}

export interface Searchable {
  readonly name: string
  /** Other words by which users find the item. */
  readonly words?: string | WordsByLanguage | undefined
}

/** Joins words. A text is in the language of the user, or in none. */
export const joinWords = (...parts: readonly (WordsByLanguage | string | undefined)[]): WordsByLanguage => ({
  en: parts.map((part = '') => (typeof part === 'string' ? part : part.en)).join(' '),
  pt: parts.map((part = '') => (typeof part === 'string' ? part : part.pt)).join(' '),
})

/** Returns the words that may be shown, and the others after them. */
function wordsOf(words: Searchable['words'] = ''): readonly [shown: string, others: string] {
  if (typeof words === 'string') return [words, '']
  const { en, pt } = words
  return locale().startsWith('pt') ? [pt, en] : [en, pt]
}

/** The letters of a name from `from` to `to - 1`. */
export type Span = readonly [from: number, to: number]

export interface Match {
  readonly matchRank: number
  /** The letters of the name that match. */
  readonly spans: readonly Span[]
  /** The other word by which the item was found, if the name does not contain the typed word. */
  readonly alias?: string | undefined
}

/** The ranks of matches, the best first. */
export const ranks = {
  start: 0,
  /** Words of the name begin with the words of the text, in this order. */
  inOrder: 1,
  anyOrder: 2,
  /** Some words of the text begin another word of the item, but no word of its name. */
  otherWords: 3,
  /** Some words of the text are inside words of the name. */
  inside: 4,
  /** The name contains the letters of the text in this order, such as “nwa” in “New assignment”. */
  letters: 5,
  /** A word of the text has one wrong, missing, additional or swapped letter. */
  typo: 6,
} as const

/** Returns whether the words of an item begin with those of the text, or its name contains them. */
export const isTyped = ({ matchRank }: Match): boolean => matchRank < ranks.letters

/** Shorter words are similar to too many other words. */
const typoLettersMin = 4

interface Query {
  readonly text: string
  readonly words: readonly string[]
  readonly letters: string
  readonly mask: number
  /** The number of words that are long enough for a typing error. */
  readonly longWords: number
}

function queryOf(text: string): Query {
  const folded = foldText(text.trim()).replace(/\s+/g, ' ')
  const words = folded === '' ? [] : folded.split(' ')
  return {
    text: folded,
    words,
    letters: words.join(''),
    mask: maskOf(folded),
    longWords: words.filter(({ length }) => length >= typoLettersMin).length,
  }
}

/** A text in lower case and without accents, and the positions where its words begin. */
interface Folded {
  readonly text: string
  readonly starts: readonly number[]
}

interface Entry {
  readonly name: Folded
  readonly words: Folded
  readonly mask: number
}

function fold(text: string): Folded {
  const folded = foldText(text)
  const starts: number[] = []
  for (let at = 0; at < folded.length; at += 1) if (isWordStart(folded, at)) starts.push(at)
  return { text: folded, starts }
}

export type Search<Item> = (text: string, max?: number) => readonly (Item & Match)[]

/**
 * Returns a function that finds items by name, the best first. Case and accents are ignored. Names with a
 * typing error are found only if no name matches the text as it was typed.
 */
export function createSearch<Item extends Searchable>(items: readonly Item[]): Search<Item> {
  const entries = items.map(({ name, words }): Entry => {
    const texts = { name: fold(name), words: fold(wordsOf(words).join(' ')) }
    return { ...texts, mask: maskOf(texts.name.text) | maskOf(texts.words.text) }
  })
  return (text, max = items.length) => {
    const query = queryOf(text)
    return rankAll(query, entries, max)
      .flatMap((indices, matchRank) => indices.map((index) => ({ index, matchRank })))
      .slice(0, max)
      .map(({ index, matchRank }) => {
        const item = items[index] as Item
        const spans = spansOf(query, item.name, matchRank)
        const alias = aliasOf(query, entries[index], wordsOf(item.words)[0], matchRank)
        return { ...item, matchRank, spans, alias }
      })
  }
}

function rankAll(query: Query, entries: readonly Entry[], max: number): readonly (readonly number[])[] {
  const byRank = Object.values(ranks).map((): number[] => [])
  let rest: number[] = []
  for (const [index, entry] of entries.entries())
    (byRank[typedRankOf(query, entry) ?? -1] ?? rest).push(index)
  const isTyped = rest.length < entries.length
  const [letters = [], typos = []] = byRank.slice(ranks.letters)
  /** Moves matching entries from `rest` to a rank. */
  const take = (taken: number[], isMatch: (query: Query, entry: Entry) => boolean) => {
    rest = rest.filter((index) => {
      const entry = entries[index]
      const isTaken = entries.length - rest.length + taken.length < max && entry && isMatch(query, entry)
      if (isTaken) taken.push(index)
      return !isTaken
    })
  }
  take(letters, hasLetters)
  if (!isTyped) take(typos, hasTypo)
  return byRank
}

/** Returns the items that match, the best first. */
export const findMatches = <Item extends Searchable>(
  items: readonly Item[],
  text: string,
): readonly (Item & Match)[] => createSearch(items)(text)

/** Ranks records that the server has found. Records whose names do not match have the rank `inside`. */
export function rankFound<Found extends Searchable & { readonly id: string }>(
  found: readonly Found[],
  text: string,
): readonly (Found & Match)[] {
  const matches = findMatches(found, text)
  const ids = new Set(matches.map(({ id }) => id))
  const others = found.filter(({ id }) => !ids.has(id))
  return [...matches, ...others.map((record) => ({ ...record, matchRank: ranks.inside, spans: [] }))]
}

/** Returns a bit mask of the letters in the text. Most names are excluded by comparing masks. */
function maskOf(text: string): number {
  let mask = 0
  for (let index = 0; index < text.length; index += 1) {
    const letter = text.charCodeAt(index) - 97
    if (letter >= 0 && letter < 26) mask |= 1 << letter
  }
  return mask
}

function countBits(mask: number): number {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1
  return count
}

function typedRankOf(query: Query, entry: Entry): number | undefined {
  const { name, mask } = entry
  if ((query.mask & ~mask) !== 0) return undefined
  if (name.text.startsWith(query.text)) return ranks.start
  let rank: number = ranks.inOrder
  let last = -1
  for (const word of query.words) {
    const at = findWord(name.text, word)
    const rankOfWord = rankOfWordAt(at, last) ?? otherRankOf(entry, word)
    if (rankOfWord === undefined) return undefined
    rank = Math.max(rank, rankOfWord)
    last = at
  }
  return rank
}

/** Returns the rank of a word that begins a word of the name, after the previous match or before it. */
function rankOfWordAt(at: number, last: number): number | undefined {
  if (at < 0) return undefined
  return at > last ? ranks.inOrder : ranks.anyOrder
}

/** Returns the rank of a word that begins no word of the name. */
function otherRankOf({ name, words }: Entry, word: string): number | undefined {
  if (findWord(words.text, word) >= 0) return ranks.otherWords
  return name.text.includes(word) ? ranks.inside : undefined
}

const hasLetters = (query: Query, { name, mask }: Entry): boolean =>
  (query.mask & ~mask) === 0 && findLetters(name, query.letters) !== undefined

function hasTypo(query: Query, { name, words, mask }: Entry): boolean {
  if (query.longWords === 0 || countBits(query.mask & ~mask) > query.longWords) return false
  return query.words.every(
    (word) =>
      name.text.includes(word) ||
      findWord(words.text, word) >= 0 ||
      findTypo(name, word) !== undefined ||
      findTypo(words, word) !== undefined,
  )
}

/** Letters outside ASCII are parts of words as well. */
const isWordLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 127

const isWordStart = (text: string, at: number): boolean =>
  at === 0 || (!isWordLetter(text.charCodeAt(at - 1)) && isWordLetter(text.charCodeAt(at)))

/** Returns the position of a word that begins with these letters, or -1. */
function findWord(text: string, letters: string): number {
  let at = text.indexOf(letters)
  while (at > 0 && !isWordStart(text, at)) at = text.indexOf(letters, at + 1)
  return at
}

/**
 * Returns the positions of the letters. The first letter must begin a word. Each further letter must follow
 * in the same word or begin a later word. Otherwise short texts would match almost every long name.
 */
function findLetters({ text, starts }: Folded, letters: string): readonly number[] | undefined {
  if (!isInOrder(text, letters)) return undefined
  const { length } = text
  /**
   * For each letter and position, the position of the previous letter plus one, or 0 if the letter cannot be
   * there.
   */
  const places = new Uint16Array(letters.length * length)
  for (let letter = 0; letter < letters.length; letter += 1)
    placeLetter({ text, starts }, letters.charCodeAt(letter), places, letter * length)
  let at = places.subarray(-length).findIndex((before) => before > 0)
  if (at < 0) return undefined
  const found: number[] = []
  for (let row = places.length - length; row >= 0; row -= length) {
    found.unshift(at)
    at = (places[row + at] ?? 0) - 1
  }
  return found
}

/**
 * Fills the row of a letter. `last` is where the previous letter was last, so that this one may begin a later
 * word. `inWord` is where it was in the current word. Both are one more than the position, or 0 for none.
 */
function placeLetter({ text, starts }: Folded, letter: number, places: Uint16Array, row: number): void {
  let word = 0
  // The first letter may begin any word.
  let last = row === 0 ? 1 : 0
  let inWord = 0
  for (let at = 0; at < text.length; at += 1) {
    const isStart = at === starts[word]
    if (isStart) {
      word += 1
      inWord = last
    }
    if (inWord > 0 && text.charCodeAt(at) === letter) places[row + at] = inWord
    if (isStart) inWord = 0
    if (places[row - text.length + at]) last = inWord = at + 1
  }
}

/** Returns whether the text contains the letters in this order. This excludes most names at little cost. */
function isInOrder(text: string, letters: string): boolean {
  let at = -1
  for (let index = 0; index < letters.length; index += 1) {
    at = text.indexOf(letters.charAt(index), at + 1)
    if (at < 0) return false
  }
  return true
}

/** Returns the beginning of a word that differs from the typed word by one letter. */
function findTypo({ text, starts }: Folded, typed: string): Span | undefined {
  if (typed.length < typoLettersMin) return undefined
  for (const at of starts) {
    const length = lengthWithTypo(text, at, typed)
    if (length !== undefined) return [at, at + length]
  }
  return undefined
}

/** Returns the length of the typed word in the text at `at`, with one error, or undefined. */
function lengthWithTypo(text: string, at: number, typed: string): number | undefined {
  let same = 0
  while (same < typed.length && text[at + same] === typed[same]) same += 1
  const next = at + same
  const { length } = typed
  const isSwapped = text[next] === typed[same + 1] && text[next + 1] === typed[same]
  if (isSwapped && isAt(text, next + 2, typed, same + 2)) return length
  if (next < text.length && isAt(text, next + 1, typed, same + 1)) return length
  if (isAt(text, next + 1, typed, same)) return length + 1
  return isAt(text, next, typed, same + 1) ? length - 1 : undefined
}

/** Returns whether the text at this position equals the end of the typed word. */
function isAt(text: string, at: number, typed: string, from: number): boolean {
  for (let index = from; index < typed.length; index += 1)
    if (text[at + index - from] !== typed[index]) return false
  return true
}

function spansOf(query: Query, name: string, rank: number): readonly Span[] {
  if (query.text === '') return []
  const folded = fold(name)
  const positions = positionsIn(name, folded.text)
  return merge(foldedSpansOf(query, folded, rank).map(([from, to]) => [positions(from), positions(to)]))
}

function foldedSpansOf(query: Query, name: Folded, rank: number): readonly Span[] {
  if (rank === ranks.start) return [[0, query.text.length]]
  if (rank === ranks.letters)
    return (findLetters(name, query.letters) ?? []).map((at) => [at, at + 1] as const)
  return query.words.flatMap((word): readonly Span[] => {
    const start = findWord(name.text, word)
    const at = start >= 0 ? start : name.text.indexOf(word)
    if (at >= 0) return [[at, at + word.length]]
    const typo = rank === ranks.typo ? findTypo(name, word) : undefined
    return typo ? [typo] : []
  })
}

/** Returns the other word that explains why the item matches, unless it is in another language. */
function aliasOf(query: Query, entry: Entry | undefined, shown: string, rank: number): string | undefined {
  if (!entry || rank < ranks.otherWords || rank === ranks.letters) return undefined
  const missing = query.words.filter((word) => !entry.name.text.includes(word))
  for (const word of missing) {
    const found = findWord(entry.words.text, word)
    const at = found >= 0 ? found : findTypo(entry.words, word)?.[0]
    if (at === undefined) continue
    // The words of other languages follow those that are shown.
    const [alias] = /^[^\s…]+/.exec(shown.slice(positionsIn(shown, foldText(shown))(at))) ?? []
    return alias !== undefined && entry.name.text.includes(foldText(alias)) ? undefined : alias
  }
  return undefined
}

/** Returns a function that converts positions in the folded name to positions in the name. */
function positionsIn(name: string, folded: string): (at: number) => number {
  if (name.length === folded.length) return (at) => at
  const positions: number[] = []
  let at = 0
  for (const letter of name) {
    for (let count = foldText(letter).length; count > 0; count -= 1) positions.push(at)
    at += letter.length
  }
  return (position) => positions[position] ?? name.length
}

/** Sorts the spans and joins adjacent spans. */
function merge(spans: readonly Span[]): readonly Span[] {
  const merged: [number, number][] = []
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}

/** Returns a function that keeps its last result, and does not compute it again for the same arguments. */
export function rememberLast<Arguments extends readonly unknown[], Result>(
  compute: (...all: Arguments) => Result,
): (...all: Arguments) => Result {
  let last: { readonly all: Arguments; readonly result: Result } | undefined
  return (...all) => {
    if (!last?.all.every((argument, index) => argument === all[index]))
      last = { all, result: compute(...all) }
    return last.result
  }
}

/**
 * A mention as it is stored. The server uses the same pattern. A mention contains the id of the person, so
 * that the current name is shown.
 */
export const mentionPattern = String.raw`@\[user:([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\]`

const storedMention = new RegExp(mentionPattern, 'gi')

export const mentionOf = (id: string): string => `@[user:${id}]`

/**
 * Maps each name that a text shows to the id of the person. If several people have the same name, only the
 * first is shown by name.
 */
type Mentioned = ReadonlyMap<string, string>

/** Returns the people whom a text mentions and whose names are known. */
export function mentionedIn(text: string, findName: (id: string) => string | undefined): Mentioned {
  const mentioned = new Map<string, string>()
  if (!text.includes('@')) return mentioned
  for (const [, id = ''] of text.matchAll(storedMention)) {
    const name = findName(id.toLowerCase())
    if (name && !mentioned.has(name)) mentioned.set(name, id.toLowerCase())
  }
  return mentioned
}

/** Shows names in place of ids, for a field in which the text is edited. */
export function showMentions(text: string, mentioned: Mentioned): string {
  if (mentioned.size === 0) return text
  const names = new Map([...mentioned].map(([name, id]) => [id, name]))
  return text.replaceAll(storedMention, (mention, id: string) => {
    const name = names.get(id.toLowerCase())
    return name === undefined ? mention : `@${name}`
  })
}

/** Returns the text as it is stored. A mention whose name was changed becomes plain text. */
export function storeMentions(text: string, mentioned: Mentioned): string {
  if (mentioned.size === 0) return text
  // Longer names come first, because one name may be the beginning of another.
  const names = [...mentioned.keys()]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replaceAll(special, '\\$&'))
  return text.replaceAll(
    new RegExp(`@(${names.join('|')})(?![\\p{L}\\p{N}])`, 'gu'),
    (mention, name: string) => {
      const id = mentioned.get(name)
      return id === undefined ? mention : mentionOf(id)
    },
  )
}

/** These characters have a meaning in regular expressions. */
const special = /[\\^$.*+?()[\]{}|]/g

export interface MentionSearch {
  /** The position of the mark. */
  readonly from: number
  readonly text: string
}

const searches = {
  '@': /(?:^|[\s(])@([^@\n[\]]{0,40})$/,
  '#': /(?:^|\s)#([^#\n]{0,40})$/,
} as const

/** Returns the text typed after the mark, if it may be the beginning of a name. */
export function mentionSearchAt(
  text: string,
  caret: number,
  mark: keyof typeof searches = '@',
): MentionSearch | undefined {
  if (!text.includes(mark)) return undefined
  const [, typed] = searches[mark].exec(text.slice(0, caret)) ?? []
  return typed === undefined ? undefined : { from: caret - typed.length - 1, text: typed }
}

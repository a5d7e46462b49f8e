/** Which answer went out with which `Last-Modified`: a date alone does not say to which account it was given. */
export interface SentDates {
  /** Records the pair, and returns whether it was sent before. */
  note(tag: string, lastModified: number): boolean
}

/** About 2 MB when full. Then the oldest is forgotten, which costs its client one full answer. */
const rememberedMax = 10_000

export function createSentDates(): SentDates {
  const sent = new Set<string>()
  return {
    note(tag, lastModified) {
      const pair = `${tag} ${lastModified}`
      const isKnown = sent.delete(pair)
      const oldest = sent.size >= rememberedMax ? sent.keys().next() : undefined
      if (oldest?.done === false) sent.delete(oldest.value)
      sent.add(pair)
      return isKnown
    },
  }
}

interface Countable {
  readonly event: string
  readonly outcome?: string
}

export interface EventCount {
  readonly event: string
  readonly outcome: string
  count: number
}

export interface CountedEvents<Event> {
  log(event: Event): void
  counts(): Iterable<Readonly<EventCount>>
}

/** Returns the same log, which also counts by event and outcome, such as successful, failed and locked-out sign-ins. */
export function countEvents<Event extends Countable>(log: (event: Event) => void): CountedEvents<Event> {
  const counts = new Map<string, EventCount>()
  return {
    log(event) {
      const { event: name, outcome = '' } = event
      const key = `${name} ${outcome}`
      const counted = counts.get(key) ?? { event: name, outcome, count: 0 }
      counted.count += 1
      counts.set(key, counted)
      log(event)
    },
    counts: () => counts.values(),
  }
}

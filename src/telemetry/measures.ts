/** Durations in seconds by their attributes, counted since the start, as OTLP's cumulative histograms want them. */
export interface Durations {
  note(attributes: Readonly<Record<string, string>>, seconds: number): void
  /** As an OTLP metric. */
  show(now: string): object
}

const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
/** Operations times outcomes are some hundred; a mistake must not make it endless. */
const seriesMax = 2000

interface Series {
  readonly attributes: Readonly<Record<string, string>>
  readonly buckets: number[]
  count: number
  sum: number
}

export function createDurations(name: string, description: string, startedAt: string): Durations {
  const all = new Map<string, Series>()
  return {
    note(attributes, seconds) {
      const key = Object.values(attributes).join(' ')
      const series = all.get(key) ?? {
        attributes,
        buckets: new Array(bounds.length + 1).fill(0),
        count: 0,
        sum: 0,
      }
      if (!all.has(key) && all.size >= seriesMax) return
      all.set(key, series)
      const bucket = bounds.findIndex((bound) => seconds <= bound)
      const index = bucket === -1 ? bounds.length : bucket
      series.buckets[index] = (series.buckets[index] ?? 0) + 1
      series.count += 1
      series.sum += seconds
    },
    show: (now) => ({
      name,
      description,
      unit: 's',
      histogram: {
        // Cumulative.
        aggregationTemporality: 2,
        dataPoints: [...all.values()].map(({ attributes, buckets, count, sum }) => ({
          attributes: showAttributes(attributes),
          startTimeUnixNano: startedAt,
          timeUnixNano: now,
          count: String(count),
          sum,
          bucketCounts: buckets.map(String),
          explicitBounds: bounds,
        })),
      },
    }),
  }
}

export const showAttributes = (attributes: Readonly<Record<string, string>>): object[] =>
  Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }))

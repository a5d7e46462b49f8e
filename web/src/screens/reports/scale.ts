/** Where the lines of a chart stand: round numbers from 0 to what covers the greatest value. */
export function ticksFor(greatest: number): readonly number[] {
  const rough = Math.max(greatest, 1) / linesWanted
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const count = Math.ceil(Math.max(greatest, 1) / step)
  return Array.from({ length: count + 1 }, (_, index) => Math.round(index * step * 100) / 100)
}

const linesWanted = 4

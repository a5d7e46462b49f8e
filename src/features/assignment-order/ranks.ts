/** In the order of their bytes. */
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const base = BigInt(digits.length)

/**
 * Returns so many ranks between two others, as far apart as possible, or undefined if there are none. A rank is a fraction whose
 * digits are all behind the point, so there is room between any two as long as none ends with the smallest digit.
 */
export function ranksBetween(low: string, high: string, count: number): readonly string[] | undefined {
  if (low >= high) return undefined
  const parts = BigInt(count + 1)
  for (let length = Math.max(low.length, high.length); ; length += 1) {
    const from = toNumber(low, length)
    const room = toNumber(high, length) - from
    if (room < parts) continue
    return Array.from({ length: count }, (_, index) =>
      toRank(from + (room * BigInt(index + 1)) / parts, length),
    )
  }
}

function toNumber(rank: string, length: number): bigint {
  let number = 0n
  for (const digit of rank.padEnd(length, digits[0])) number = number * base + BigInt(digits.indexOf(digit))
  return number
}

function toRank(number: bigint, length: number): string {
  let rank = ''
  for (let left = number; rank.length < length; left /= base) rank = digits[Number(left % base)] + rank
  return rank.replace(/0+$/, '')
}

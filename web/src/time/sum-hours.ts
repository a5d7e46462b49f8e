/** In hundredths, because sums of fractions drift. */
export const sumHours = (rows: readonly { readonly amountHours: number }[]): number =>
  rows.reduce((sum, { amountHours }) => sum + Math.round(amountHours * 100), 0) / 100

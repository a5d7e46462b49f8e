const format = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 2 })

export const showHours = (hours: number): string => `${format.format(hours)} h`

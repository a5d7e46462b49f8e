const key = 'tracker.density'

/** Smaller letters and lines, for people who want to see more at once; a choice of this browser. */
export const isCompact = (): boolean => localStorage.getItem(key) === 'compact'

export function showChosenDensity(): void {
  if (isCompact()) document.documentElement.dataset.density = 'compact'
  else delete document.documentElement.dataset.density
}

export function chooseDensity(compact: boolean): void {
  if (compact) localStorage.setItem(key, 'compact')
  else localStorage.removeItem(key)
  showChosenDensity()
}

import type { Page } from 'playwright-core'

/**
 * What people would read in another order than it was written, on a page whose language goes from left to right: dates, hours and
 * words whose order a name turned round that is written from right to left, and such names whose parts are not in their own order.
 */
export const readingFaultsOf = (page: Page, names: readonly string[]) =>
  page.evaluate<string[]>(`(() => {
    const names = ${JSON.stringify(names)}
    const faults = new Set()
    const turned = /[\\u0590-\\u08ff]/
    const amounts = /\\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)( \\d{4})?(, \\d\\d:\\d\\d)?|\\d[\\d.]* h\\b|\\b\\d+ days?\\b/g
    const rectOf = (node, from, to) => {
      const range = document.createRange()
      range.setStart(node, from)
      range.setEnd(node, to)
      return range.getClientRects()[0]
    }
    const isAfter = (before, next) => !before || !next || Math.abs(before.top - next.top) > 4 || next.left > before.left - 1
    /** Where the order starts again: a separate box, or an isolated part of a line. */
    const isApart = (element) => {
      const { display, unicodeBidi } = getComputedStyle(element)
      return display !== 'inline' || unicodeBidi.startsWith('isolate')
    }
    const homeOf = (element) => (isApart(element) ? element : homeOf(element.parentElement))
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const pieces = new Map()
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement
      const text = node.data
      if (text.trim() === '' || !element.checkVisibility() || element.closest('.visually-hidden, select, textarea')) continue
      const home = homeOf(element)
      const partsOf = (some, from) =>
        [...some.matchAll(/[^\\s,]+/g)].map((part) => rectOf(node, from + part.index, from + part.index + part[0].length))
      for (const found of text.matchAll(amounts)) {
        const parts = partsOf(found[0], found.index)
        if (parts.some((part, index) => !isAfter(parts[index - 1], part))) faults.add('turned round: ' + text)
      }
      for (const name of names.filter((one) => text.includes(one))) {
        const parts = partsOf(name, text.indexOf(name)).toReversed()
        if (parts.some((part, index) => !isAfter(parts[index - 1], part))) faults.add('a name in pieces: ' + text)
      }
      const goesBack = getComputedStyle(home).direction === 'rtl'
      const own = []
      let at = 0
      for (const piece of text.split(' · ')) {
        if (goesBack && !turned.test(piece) && /[a-z]{2}/i.test(piece))
          faults.add('words of the page in the direction of a name: ' + text)
        if (piece.trim() !== '') own.push(rectOf(node, at, at + piece.length))
        at += piece.length + 3
      }
      const inTurn = goesBack ? own.toReversed() : own
      if (inTurn.some((rect, index) => !isAfter(inTurn[index - 1], rect))) faults.add('not in the order written: ' + text)
      // Pieces of one line, in the order in which they are written.
      const line = home.localName === 'bdi' || home.dir === 'auto' ? homeOf(home.parentElement) : home
      if (getComputedStyle(line).direction === 'rtl') continue
      const known = pieces.get(line) ?? []
      pieces.set(line, known)
      if (known.length > 0 && !isAfter(known.at(-1), own[0])) faults.add('before what it follows: ' + text + ', in ' + line.textContent)
      known.push(...own)
    }
    return [...faults]
  })()`)

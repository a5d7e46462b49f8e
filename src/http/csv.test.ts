import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { csvHeader, csvLine } from './csv.ts'

const cellOf = (text: string): string => {
  const line = csvLine([text])
  assert.ok(line.startsWith('"') && line.endsWith('"\r\n'))
  return line.slice(1, -3).replaceAll('""', '"')
}

describe('A line of comma-separated values', () => {
  it('quotes texts, and nothing else', () => {
    assert.equal(csvHeader(['id', 'name']), 'id,name\r\n')
    assert.equal(csvLine(['a', 'b"c', '', 1, -2.5, true, null, undefined]), '"a","b""c","",1,-2.5,true,,\r\n')
  })

  for (const [text, cell] of [
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['＝1', "'＝1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠A', "'＠A"],
    ['﹦1', "'﹦1"],
    ['−1', "'−1"],
    ['\u200B=1', "'\u200B=1"],
    ['\uFEFF=1', "'\uFEFF=1"],
    ['\u2060\u00AD\u202E=1', "'\u2060\u00AD\u202E=1"],
    ['\t=1', "'\t'=1"],
    ['\r=1', "'\r'=1"],
    [' \u00A0=1', "' \u00A0=1"],
    ['"=1"', '\'"=1"'],
    ["'=1", "''=1"],
    ['a;=1', "a;'=1"],
    ['a,b;\u200B＝1', "a,b;'\u200B＝1"],
    ['a\t@b', "a\t'@b"],
    ['a\r\n=b', "a\r\n'=b"],
    ['a;"=1"', 'a;\'"=1"'],
    ['a=1 - b', 'a=1 - b'],
    ['2026-01-05T10:00:00Z', '2026-01-05T10:00:00Z'],
    ["it's; 'quoted'", "it's; 'quoted'"],
  ] as const)
    it(`${cell === text ? 'does not change' : 'keeps spreadsheets from running'} ${JSON.stringify(text)}`, () =>
      assert.equal(cellOf(text), cell))

  const pieces = fc.constantFrom(...'=+-@＝;,\t\r\n \u200B\uFEFF\'"ab1'.split(''))
  const texts = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''))

  it('begins no cell like a formula, for every separator', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const cell of cellOf(text).split(/[,;\t\r\n]/))
          assert.doesNotMatch(cell, /^[\s\p{Cf}"]*[=+\-@＝]/u, JSON.stringify(cellOf(text)))
      }),
    )
  })

  it('can be read back: different texts have different cells', () => {
    const textOfCell = new Map<string, string>()
    fc.assert(
      fc.property(texts, (text) => {
        const cell = cellOf(text)
        assert.equal(textOfCell.get(cell) ?? text, text)
        textOfCell.set(cell, text)
      }),
    )
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { reports } from '../../src/features/reports/read-report-query.ts'
import { csvHead, csvLine } from '../../src/http/csv.ts'
import { groupings } from '../../web/src/screens/reports/sums.ts'
import { headOfColumn, tableForPeople, wordsOfHours } from '../../web/src/screens/reports/table-for-people.ts'

describe('A table that is exported', () => {
  const words = { headOf: headOfColumn, isNumber: (column: string) => column === 'hours' }

  test('has the heads of the page, and below them what the server wrote, however many rows', () => {
    const rows = csvLine(['1', '=cmd, "x"', 2.5]).repeat(100_000)
    const begin = performance.now()
    const taken = tableForPeople(`${csvHead(['projectId', 'project', 'hours'])}${rows}`, {
      ...words,
      decimalMark: '.',
    })
    assert.equal(taken, `\uFEFF"Project (id)","Project","Hours"\r\n${rows}`)
    assert.ok(performance.now() - begin < 5000)
  })

  test('opens where a comma is the decimal mark, with formulas that stay text', () => {
    const names = ['=1+1', 'a;=1+1', 'a,b', 'line\r\nline', '"', '1.5', '']
    const table = csvHead(['project', 'hours']) + names.map((name) => csvLine([name, 1.25])).join('')
    const taken = tableForPeople(table, {
      headOf: (name) => `${name}; "x"`,
      isNumber: words.isNumber,
      decimalMark: ',',
    })
    assert.equal(
      taken,
      [
        '\uFEFF"project; ""x""";"hours; ""x"""',
        '"\'=1+1";1,25',
        '"a;\'=1+1";1,25',
        '"a,b";1,25',
        '"line\r\nline";1,25',
        '"""";1,25',
        '"1.5";1,25',
        '"";1,25',
        '',
      ].join('\r\n'),
    )
  })

  test('calls every column as people do that the page can ask for', () => {
    const measures = reports.find(({ name }) => name === 'hours')?.measures ?? []
    const columns = groupings.flatMap(({ name, isTime }) => (isTime ? [name] : [name, `${name}Id`]))
    const still = [...columns, ...measures.map(({ name }) => name)].filter((one) => headOfColumn(one) === one)
    assert.deepEqual(still, [])
    assert.equal(headOfColumn('somethingNew'), 'somethingNew')
    assert.equal(wordsOfHours().decimalMark, '.')
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { datesBetween } from '../../web/src/data/planned.ts'
import { ptBrCatalogue } from '../../web/src/texts/pt-br.ts'
import { setLanguage } from '../../web/src/texts/text.ts'
import { addDays, parseDay, today } from '../../web/src/time/days.ts'
import { parseDuration } from '../../web/src/time/hours.ts'

describe('Days', () => {
  // A Wednesday.
  const now = '2026-11-25T12:00:00'
  for (const [text, day] of [
    ['today', '2026-11-25'],
    ['Tomorrow', '2026-11-26'],
    ['yesterday', '2026-11-24'],
    ['fri', '2026-11-27'],
    ['wednesday', '2026-12-02'],
    ['+3', '2026-11-28'],
    ['in 2 weeks', '2026-12-09'],
    ['in 1 month', '2026-12-25'],
    ['next week', '2026-12-02'],
    ['24 dec', '2026-12-24'],
    ['friends', undefined],
    ['in 2 apples', undefined],
    ['fr', undefined],
    ['31 feb', undefined],
  ] as const)
    test(`${text}: ${day ?? 'no day'}`, (context) => {
      context.mock.timers.enable({ apis: ['Date'], now: new Date(now) })
      assert.equal(parseDay(text), day)
    })

  for (const [text, day] of [
    ['hoje', '2026-11-25'],
    ['amanhã', '2026-11-26'],
    ['amanha', '2026-11-26'],
    ['sexta', '2026-11-27'],
    ['sexta-feira', '2026-11-27'],
    ['sáb.', '2026-11-28'],
    ['em 3 dias', '2026-11-28'],
    ['daqui a 2 semanas', '2026-12-09'],
    ['próximo mês', '2026-12-25'],
    ['fri', '2026-11-27'],
    ['sext@', undefined],
  ] as const)
    test(`${text}, in Portuguese: ${day ?? 'no day'}`, (context) => {
      context.mock.timers.enable({ apis: ['Date'], now: new Date(now) })
      context.after(() => setLanguage('en-GB', { texts: {} as never, errors: {}, nouns: {} }))
      setLanguage('pt-BR', ptBrCatalogue)
      assert.equal(parseDay(text), day)
    })
})

describe('Hours', () => {
  for (const [text, hours] of [
    ['1.5', 1.5],
    ['1,5', 1.5],
    ['1:30', 1.5],
    ['1h30', 1.5],
    ['1h 30m', 1.5],
    ['1 h', 1],
    ['1,5h', 1.5],
    ['90m', 1.5],
    ['20 min', 0.33],
    ['-1', -1],
    ['1.234', 1.234],
    ['1h75', undefined],
    ['h30', undefined],
    ['1,500.5', undefined],
    ['soon', undefined],
  ] as const)
    test(`${text}: ${hours ?? 'no hours'}`, () => assert.equal(parseDuration(text), hours))
})

describe('An assignment that gets dates for the first time', () => {
  const [past, future] = [addDays(today(), -9), addDays(today(), 9)]
  for (const [start, end, from, to] of [
    ['', '', today(), today()],
    [future, '', future, future],
    ['', future, today(), future],
    ['', past, past, past],
    [past, future, past, future],
  ] as const)
    test(`has them with ${start ? 'a' : 'no'} start and ${end ? 'an' : 'no'} end, ${start} ${end}`, () => {
      const isUnscheduled = start === '' && end === ''
      assert.deepEqual(datesBetween(start, end), { startDate: from, endDate: to, isUnscheduled })
    })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { datesBetween } from '../../web/src/data/assignments.ts'
import { ptBrCatalogue } from '../../web/src/texts/pt-br.ts'
import { setLanguage } from '../../web/src/texts/text.ts'
import { addDays, formatWeekday, parseDay, today } from '../../web/src/time/days.ts'
import { parseDuration } from '../../web/src/time/hours.ts'

describe('A typed day', () => {
  const wednesday = new Date('2026-11-25T12:00:00')
  const englishDays = {
    today: '2026-11-25',
    Tomorrow: '2026-11-26',
    yesterday: '2026-11-24',
    fri: '2026-11-27',
    wednesday: '2026-12-02',
    '+3': '2026-11-28',
    'in 2 weeks': '2026-12-09',
    'in 1 month': '2026-12-25',
    '+2d': '2026-11-27',
    '+2 weeks': '2026-12-09',
    eod: '2026-11-25',
    eow: '2026-11-27',
    'next week': '2026-12-04',
    'next monday': '2026-11-30',
    'Next Wed': '2026-12-02',
    'next apple': undefined,
    '24 dec': '2026-12-24',
    friends: undefined,
    'in 2 apples': undefined,
    fr: undefined,
    '31 feb': undefined,
    '2d': undefined,
  }
  for (const [text, day] of Object.entries(englishDays))
    test(`“${text}” is ${day ?? 'no day'}`, (context) => {
      context.mock.timers.enable({ apis: ['Date'], now: wednesday })
      assert.equal(parseDay(text), day)
    })

  for (const [day, endOfWeek] of [
    ['2026-11-27', '2026-11-27'],
    ['2026-11-28', '2026-12-04'],
    ['2026-11-29', '2026-12-04'],
  ] as const)
    test(`“next week” is its Friday and “eow” the nearest one on ${formatWeekday(day)}`, (context) => {
      context.mock.timers.enable({ apis: ['Date'], now: new Date(`${day}T12:00:00`) })
      assert.deepEqual([parseDay('next week'), parseDay('eow')], ['2026-12-04', endOfWeek])
    })

  const portugueseDays = {
    hoje: '2026-11-25',
    amanhã: '2026-11-26',
    amanha: '2026-11-26',
    sexta: '2026-11-27',
    'sexta-feira': '2026-11-27',
    'sáb.': '2026-11-28',
    'em 3 dias': '2026-11-28',
    'daqui a 2 semanas': '2026-12-09',
    'próximo mês': '2026-12-25',
    'próxima segunda': '2026-11-30',
    'segunda-feira que vem': '2026-11-30',
    'semana que vem': '2026-12-04',
    'próxima semana': '2026-12-04',
    'next monday': '2026-11-30',
    fri: '2026-11-27',
    'sext@': undefined,
  }
  for (const [text, day] of Object.entries(portugueseDays))
    test(`“${text}” in Portuguese is ${day ?? 'no day'}`, (context) => {
      context.mock.timers.enable({ apis: ['Date'], now: wednesday })
      context.after(() => setLanguage('en-GB', { texts: {} as never, errors: {}, nouns: {} }))
      setLanguage('pt-BR', ptBrCatalogue)
      assert.equal(parseDay(text), day)
    })
})

describe('A typed duration', () => {
  const hoursByText = {
    '1.5': 1.5,
    '1,5': 1.5,
    '1:30': 1.5,
    '1h30': 1.5,
    '1h 30m': 1.5,
    '1 h': 1,
    '1,5h': 1.5,
    '90m': 1.5,
    '20 min': 0.33,
    '-1': -1,
    '1.234': 1.234,
    '1h75': undefined,
    h30: undefined,
    '1,500.5': undefined,
    soon: undefined,
  }
  for (const [text, hours] of Object.entries(hoursByText))
    test(`“${text}” is ${hours ?? 'no number of'} hours`, () => assert.equal(parseDuration(text), hours))
})

describe('An assignment that gets dates for the first time', () => {
  const past = addDays(today(), -9)
  const future = addDays(today(), 9)
  for (const { title, start, end, startDate, endDate } of [
    {
      title: 'has no dates without a start and an end',
      start: '',
      end: '',
      startDate: today(),
      endDate: today(),
    },
    {
      title: 'ends on its start day without an end',
      start: future,
      end: '',
      startDate: future,
      endDate: future,
    },
    { title: 'starts today without a start', start: '', end: future, startDate: today(), endDate: future },
    { title: 'starts on its end day if that is past', start: '', end: past, startDate: past, endDate: past },
    { title: 'has the typed start and end', start: past, end: future, startDate: past, endDate: future },
  ])
    test(title, () => {
      const isUnscheduled = start === '' && end === ''
      assert.deepEqual(datesBetween(start, end), { startDate, endDate, isUnscheduled })
    })
})

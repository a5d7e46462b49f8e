import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { freeHours, todayText } from '../../web/src/assignment/daily-target.ts'
import { daysOfWeek } from '../../web/src/time/days.ts'

describe('The hours of a working day', () => {
  // Nothing is stored, so a working day has eight hours.
  before(() => Object.assign(globalThis, { localStorage: { getItem: () => null } }))

  const [monday = '', tuesday = '', wednesday = '', , , saturday = '', sunday = ''] = daysOfWeek('2027-03-01')
  const entry = (keepDate: string, amountHours: number) => ({ keepDate, amountHours })

  for (const { title, entries, free } of [
    { title: 'are free without hours', entries: [], free: [8, 8, 8, 8, 8, 0, 0] },
    {
      title: 'are free as far as they have no hours',
      entries: [entry(monday, 2.35), entry(monday, 1.1), entry(tuesday, 8)],
      free: [4.55, 0, 8, 8, 8, 0, 0],
    },
    {
      title: 'stay free on other days after a long one',
      entries: [entry(tuesday, 11), entry(wednesday, 7.5)],
      free: [8, 0, 0.5, 8, 8, 0, 0],
    },
    {
      title: 'stay free after hours on a weekend',
      entries: [entry(saturday, 3), entry(sunday, 9)],
      free: [8, 8, 8, 8, 8, 0, 0],
    },
  ])
    test(`${title}, and the days add up to the week`, () => {
      const days = daysOfWeek(monday)
      assert.deepEqual(
        days.map((day) => freeHours([day], entries)),
        free,
      )
      assert.equal(
        freeHours(days, entries),
        free.reduce((sum, hours) => sum + hours),
      )
    })

  for (const { day, hours, text } of [
    { day: monday, hours: 0, text: '0 of 8 h today' },
    { day: monday, hours: 3.25, text: '3.25 of 8 h today' },
    { day: saturday, hours: 0, text: '' },
    { day: saturday, hours: 3, text: '3 h today' },
    { day: sunday, hours: 1.5, text: '1.5 h today' },
  ])
    test(`with ${hours} h recorded on ${day}, My work says “${text}”`, () =>
      assert.equal(todayText(hours, day), text))
})

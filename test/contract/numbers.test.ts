import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEveryHost } from './every-host.ts'
import { invalid, recordIn } from './outcomes.ts'
import { a, type Entity } from './resources.ts'

interface NumberField {
  readonly entity: Entity
  readonly field: string
  readonly good: readonly number[]
  readonly bad: readonly number[]
}

const numberFields: readonly NumberField[] = [
  {
    entity: 'assignment',
    field: 'amountHours',
    good: [0, 0.01, 0.25, 1, 7.5, 1234.56, 99999.99, 100000],
    bad: [-0.01, -1, 0.001, 0.1 + 0.2, 1.005, 100000.01, 100001, 1e300],
  },
  {
    entity: 'appointment',
    field: 'amountHours',
    good: [0.01, 0.25, 1, 1.1, 2.75, 99999.99, 100000],
    bad: [0, -0.25, 0.005, 2.125, 100000.01, 1e9],
  },
  { entity: 'workflow', field: 'order', good: [0, 1, 2147483647], bad: [-1, 0.5, 2147483648, 1e300] },
]

const isInt32 = (value: number) => Math.abs(value) < 2 ** 31

onEveryHost('Numbers', (tracker) => {
  for (const { entity, field, good, bad } of numberFields) {
    for (const value of good)
      test(`${value} is kept as the ${field} of ${a(entity)}`, async () => {
        const row = await tracker.make(entity, { [field]: value })
        assert.equal(row[field], value)
        assert.equal((await recordIn(tracker.get(entity, row.id, tracker.administrator)))[field], value)
      })

    const sayable = field === 'order' && tracker.isTyped ? bad.filter(Number.isInteger).filter(isInt32) : bad
    for (const value of sayable)
      test(`${value} is rejected as the ${field} of ${a(entity)}`, async () => {
        const body = await tracker.valid(entity, { [field]: value })
        await invalid(tracker.create(entity, body, tracker.administrator), field)
      })

    test(`an update of ${a(entity)} obeys the same limits of ${field}`, async () => {
      const row = await tracker.make(entity)
      const change = tracker.change(entity, row, { [field]: bad[0] })
      await invalid(tracker.update(entity, change, tracker.administrator), field)
    })
  }
})

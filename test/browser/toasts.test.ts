import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createToasts, type Toasts } from '../../web/src/services/toasts.ts'
import { t } from '../../web/src/texts/text.ts'

test('A message cuts a long name, and says what happened to it', () => {
  const name = 'a'.repeat(200)
  const start = 'a'.repeat(50)
  assert.equal(t('{name} is now in {stage}.', { name, stage: 'Doing' }), `${start}… is now in Doing.`)
  assert.equal(t('{name} was removed.', { name: start }), `${start} was removed.`)
  assert.equal(t('Stage of {name}', { name }), `Stage of ${name}`)
})

describe('Messages of changes', () => {
  const setUp = () => {
    const toasts = createToasts()
    const calls: string[] = []
    const showChange = (text: string, redo?: () => unknown) =>
      toasts.show({ kind: 'done', text, undo: () => void calls.push(text), redo })
    return { toasts, calls, showChange }
  }
  const texts = (toasts: Toasts) => toasts.all.value.map(({ text }) => text)

  test('share one line, whose Undo reverts all of them, the newest first', async () => {
    const { toasts, calls, showChange } = setUp()
    for (const text of ['Moved.', 'Named.', 'Assigned.']) showChange(text)
    toasts.show({ kind: 'problem', text: 'Refused.' })
    assert.deepEqual(texts(toasts), ['3 changes saved', 'Refused.'])
    const [line] = toasts.all.value
    assert.ok(line)
    await toasts.undoAll(line)
    assert.deepEqual(calls, ['Assigned.', 'Named.', 'Moved.'])
    assert.deepEqual(texts(toasts), ['Refused.', '3 changes undone'])
    assert.equal(toasts.undoLast(), false)
  })

  test('take the line of an earlier hint', () => {
    const { toasts, showChange } = setUp()
    toasts.show({ kind: 'done', text: 'Sorted by end.', action: { label: 'By hand', run: () => undefined } })
    showChange('Moved.')
    assert.deepEqual(texts(toasts), ['Moved.'])
  })

  test('are undone one by one with keys', async () => {
    const { toasts, calls, showChange } = setUp()
    for (const text of ['Moved.', 'Named.']) showChange(text)
    assert.equal(toasts.undoLast(), true)
    assert.deepEqual(texts(toasts), ['Undone: “Named.”'])
    toasts.dismiss(toasts.all.value[0]?.id ?? 0)
    assert.equal(toasts.undoLast(), true)
    assert.equal(toasts.undoLast(), false)
    await setImmediate()
    assert.deepEqual(calls, ['Named.', 'Moved.'])
    // The next change takes the line of the undone one.
    showChange('Assigned.')
    assert.deepEqual(texts(toasts), ['Assigned.'])
  })

  test('of changes that remain are undone with the button of the line "Undone"', async () => {
    const { toasts, calls, showChange } = setUp()
    for (const text of ['Moved.', 'Named.', 'Assigned.']) showChange(text)
    toasts.undoLast()
    assert.deepEqual(texts(toasts), ['Undone: “Assigned.”'])
    showChange('Labelled.')
    assert.deepEqual(texts(toasts), ['3 changes saved'])
    toasts.undoLast()
    const [line] = toasts.all.value
    assert.ok(line)
    await toasts.undoAll(line)
    assert.deepEqual(calls, ['Assigned.', 'Labelled.', 'Named.', 'Moved.'])
    assert.deepEqual(texts(toasts), ['2 changes undone'])
  })

  test('are redone in their order and undone again, until there is another change', async () => {
    const { toasts, calls, showChange } = setUp()
    const offers = () => ({ undo: toasts.canUndo(), redo: toasts.canRedo() })
    assert.deepEqual(offers(), { undo: false, redo: false })
    for (const text of ['Moved.', 'Named.']) showChange(text, () => void calls.push(`again: ${text}`))
    assert.deepEqual(offers(), { undo: true, redo: false })
    const [line] = toasts.all.value
    assert.ok(line)
    await toasts.undoAll(line)
    assert.deepEqual(offers(), { undo: false, redo: true })
    assert.deepEqual([toasts.redoLast(), toasts.redoLast(), toasts.redoLast()], [true, true, false])
    assert.deepEqual(texts(toasts), ['Redone: Named.'])
    assert.equal(toasts.undoLast(), true)
    await setImmediate()
    assert.deepEqual(calls, ['Named.', 'Moved.', 'again: Moved.', 'again: Named.', 'Named.'])
    showChange('Assigned.')
    assert.equal(toasts.redoLast(), false)
  })

  test('that are withdrawn cannot be undone, and other changes keep their line', () => {
    const { toasts, showChange } = setUp()
    showChange('Moved.')
    const withdraw = showChange('Named.')
    withdraw()
    assert.deepEqual(texts(toasts), ['Moved.'])
    const withdrawNext = showChange('Assigned.')
    showChange('Labelled.')
    toasts.undoLast()
    withdrawNext()
    assert.deepEqual(texts(toasts), ['Undone: “Labelled.”'])
    assert.equal(toasts.all.value[0]?.changes.length, 1)
    toasts.undoLast()
    assert.deepEqual(texts(toasts), ['Undone: “Moved.”'])
    toasts.show({ kind: 'problem', text: 'Refused.' })()
    assert.deepEqual(texts(toasts), ['Undone: “Moved.”'])
  })

  test('that cannot be undone or redone say why', async () => {
    const { toasts, showChange } = setUp()
    const fail = () => Promise.reject(new Error('It was removed.'))
    toasts.show({ kind: 'done', text: 'Moved.', undo: fail, redo: fail })
    toasts.undoLast()
    await setImmediate()
    assert.deepEqual(texts(toasts), ['Undone: “Moved.”', 'It was removed.'])
    assert.equal(toasts.redoLast(), false)
    showChange('Named.', fail)
    toasts.undoLast()
    toasts.redoLast()
    await setImmediate()
    assert.deepEqual(texts(toasts), ['It was removed.'])
    assert.equal(toasts.undoLast(), false)
  })

  test('keep their end when a dialog opens and closes, unless they are extended', (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: 0 })
    const { toasts, showChange } = setUp()
    showChange('Moved.')
    const end = () => toasts.all.value[0]?.until
    context.mock.timers.tick(4_000)
    toasts.addLayer(Symbol('dialog'))()
    assert.equal(end(), 10_000)
    toasts.extend(toasts.all.value[0]?.id ?? 0)
    assert.equal(end(), 14_000)
  })

  test('disappear with their screen, but their changes can still be undone', () => {
    const { toasts, showChange } = setUp()
    showChange('Moved.')
    toasts.show({ kind: 'done', text: 'Copied.' })
    toasts.show({ kind: 'problem', text: 'Refused.' })
    toasts.leaveScreen()
    assert.deepEqual(texts(toasts), ['Refused.'])
    assert.equal(toasts.undoLast(), true)
    assert.deepEqual(texts(toasts), ['Refused.', 'Undone: “Moved.”'])
    assert.equal(toasts.undoLast(), false)
  })
})

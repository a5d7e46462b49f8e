import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { choosableStages, stagesOf } from '../../web/src/data/project-stages.ts'

describe('Stages of a project', () => {
  const workflow = (id: string, look: { isDone?: boolean; color?: 'pink' } = {}) => ({
    id,
    name: id,
    order: 1,
    isDone: false,
    createdAt: '',
    updatedAt: null,
    deletedAt: null,
    active: true,
    ...look,
  })
  const workflows = [
    workflow('idea'),
    workflow('doing', { color: 'pink' }),
    workflow('done', { isDone: true }),
    workflow('review'),
  ]
  const choice = (workflowId: string, order: number, color: 'teal' | null = null) => ({
    workflowId,
    order,
    color,
  })
  const shown = (choices: Parameters<typeof stagesOf>[1]) =>
    stagesOf(workflows, choices).map(({ id, color, isUsed }) => `${id} ${color}${isUsed ? '' : ' unused'}`)

  test('are all stages of the workflow if the project has chosen none', () => {
    assert.deepEqual(shown([]), ['idea gray', 'doing pink', 'done green', 'review purple'])
  })

  test('are the stages that it has chosen, in its order and colours, then the others', () => {
    const choices = [choice('review', 0), choice('doing', 2, 'teal'), choice('done', 1)]
    assert.deepEqual(shown(choices), ['review purple', 'done green', 'doing teal', 'idea gray unused'])
  })

  test('are all stages if the chosen ones no longer exist', () => {
    assert.deepEqual(shown([choice('gone', 0)]), shown([]))
  })

  test('can be chosen for an assignment if the project uses them', () => {
    const stages = stagesOf(workflows, [choice('review', 0)])
    const choosableIds = (current?: string) => choosableStages(stages, current).map(({ id }) => id)
    assert.deepEqual(choosableIds(), ['review'])
    assert.deepEqual(choosableIds('idea'), ['review', 'idea'])
  })
})

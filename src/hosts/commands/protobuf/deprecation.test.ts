import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dotnetContracts } from '../../../../scripts/dotnet-contracts.ts'
import { deprecated } from '../../../model/field.ts'
import { resourceNamed } from '../../../resources/all.ts'
import { commandsOf } from '../commands.ts'
import { fileDescriptor } from './descriptors.ts'
import { protoFile } from './proto-file.ts'

test('A deprecated field is marked in every generated description', () => {
  const workflow = resourceNamed('workflow')
  const deprecation = { since: '2027-01-31', until: '2028-01-31', instead: 'Use the comments.' }
  const order = deprecated(workflow.fields.order as never, deprecation)
  const commands = Object.values(commandsOf({ ...workflow, fields: { ...workflow.fields, order } }))
  const marks = protoFile('v1', commands).match(/int32 order = \d+ \[deprecated = true\];/g)
  assert.equal(marks?.length, 3)
  assert.doesNotMatch(protoFile('v1', commands), / name = \d+ \[deprecated/)
  const described = fileDescriptor('v1', commands).messageType.flatMap(({ field }) => field)
  assert.deepEqual(
    [...new Set(described.filter(({ options }) => options?.deprecated).map(({ name }) => name))],
    ['order'],
  )
  assert.equal(dotnetContracts(commands).match(/\[System\.Obsolete\]\n\s+public int\?? Order/g)?.length, 3)
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSecretBox } from './secret-box.ts'

describe('a secret box', () => {
  const box = createSecretBox('a secret', 'keys')
  const plain = Buffer.from('a secret text')

  it('opens what it sealed, and seals the same text differently each time', () => {
    const sealed = box.seal(plain, 'row-1')
    assert.deepEqual(box.open(sealed, 'row-1'), plain)
    assert.deepEqual(createSecretBox('a secret', 'keys').open(sealed, 'row-1'), plain)
    assert.notDeepEqual(box.seal(plain, 'row-1'), sealed)
    assert.ok(!sealed.includes(plain))
  })

  it('opens nothing that was sealed for another owner or purpose, or with another secret', () => {
    const sealed = box.seal(plain, 'row-1')
    assert.equal(box.open(sealed, 'row-2'), undefined)
    assert.equal(createSecretBox('a secret', 'cookies').open(sealed, 'row-1'), undefined)
    assert.equal(createSecretBox('another secret', 'keys').open(sealed, 'row-1'), undefined)
  })

  it('opens nothing that was changed or truncated', () => {
    const sealed = box.seal(plain, 'row-1')
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
      assert.equal(box.open(changed, 'row-1'), undefined)
      assert.equal(box.open(sealed.subarray(0, index), 'row-1'), undefined)
    }
  })
})

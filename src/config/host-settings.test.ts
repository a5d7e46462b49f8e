import assert from 'node:assert/strict'
import { test } from 'node:test'
import { httpUrl, localUrl } from './host-settings.ts'

test('The URL of a host can be opened for every address it listens on', () => {
  assert.equal(httpUrl('::1', 5100), 'http://[::1]:5100')
  assert.equal(httpUrl('127.0.0.1', 5100), 'http://127.0.0.1:5100')
  for (const host of ['127.0.0.1', '::1', '0.0.0.0', '::'])
    assert.equal(localUrl(host, 5100), 'http://localhost:5100')
  assert.equal(localUrl('fd00::5', 5100), 'http://[fd00::5]:5100')
  assert.equal(localUrl('10.0.0.5', 5100), 'http://10.0.0.5:5100')
})

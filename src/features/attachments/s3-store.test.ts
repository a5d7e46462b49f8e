import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { amzDate, type SigningKey, sha256Of, signRequest } from './s3-store.ts'

const emptyHash = sha256Of('')
const s3: SigningKey = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 's3',
}
const bucket = 'https://examplebucket.s3.amazonaws.com'
const headersWith = (bodyHash: string, otherHeaders = {}) => ({
  host: 'examplebucket.s3.amazonaws.com',
  'x-amz-content-sha256': bodyHash,
  'x-amz-date': '20130524T000000Z',
  ...otherHeaders,
})

/** The examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
const examples = [
  {
    name: 'a GET of a range',
    method: 'GET',
    url: `${bucket}/test.txt`,
    headers: headersWith(emptyHash, { range: 'bytes=0-9' }),
    bodyHash: emptyHash,
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    name: 'a PUT with a character in its path that is encoded',
    method: 'PUT',
    url: `${bucket}/test$file.text`,
    headers: headersWith('44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072', {
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    }),
    bodyHash: '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    name: 'a GET with a query parameter that has no value',
    method: 'GET',
    url: `${bucket}/?lifecycle`,
    headers: headersWith(emptyHash),
    bodyHash: emptyHash,
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    name: 'a GET with two query parameters',
    method: 'GET',
    url: `${bucket}/?max-keys=2&prefix=J`,
    headers: headersWith(emptyHash),
    bodyHash: emptyHash,
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
]

describe('Signature V4', () => {
  for (const { name, signature, url, ...request } of examples)
    test(`matches the example of the S3 documentation for ${name}`, () => {
      const signed = signRequest({ ...request, url: new URL(url) }, s3)
      const names = Object.keys(request.headers).sort().join(';')
      assert.equal(
        signed,
        `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=${names},Signature=${signature}`,
      )
    })

  test('matches get-vanilla of the AWS test suite', () => {
    const key = {
      accessKey: 'AKIDEXAMPLE',
      secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
      region: 'us-east-1',
      service: 'service',
    }
    const headers = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' }
    const url = new URL('https://example.amazonaws.com/')
    assert.match(
      signRequest({ method: 'GET', url, headers, bodyHash: emptyHash }, key),
      /Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31$/,
    )
  })

  test('uses the date format of AWS', () => {
    assert.equal(amzDate(new Date('2013-05-24T00:00:01.234Z')), '20130524T000001Z')
  })
})

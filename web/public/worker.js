// Opens the client without a network. It keeps the files of one build and the configuration, never an answer
// of the API: those belong to an account and are kept by the page (offline/last-seen.ts). vite.config.ts
// replaces the list of files.
const files = self.builtFiles
const version = self.buildVersion
const prefix = 'tracker-files-'
const cacheName = prefix + version
const page = '/'
const configuration = '/config.json'
/** A network that does not answer within this time counts as lost. */
const patienceMilliseconds = 4000

self.addEventListener('install', (event) => {
  self.skipWaiting()
  event.waitUntil(keepFiles())
})

async function keepFiles() {
  const cache = await caches.open(cacheName)
  // Past the cache of the browser, except for files that are named after their content.
  const requests = [page, configuration, ...files].map(
    (path) => new Request(path, { cache: path.startsWith('/assets/') ? 'default' : 'reload' }),
  )
  await cache.addAll(requests)
  // During a rolling update, another instance may have sent the page of another build. The browser tries the
  // installation again later.
  const text = await (await cache.match(page)).text()
  const scripts = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)]
  if (!scripts.every(([, path]) => files.includes(path))) throw new Error('The page belongs to another build.')
}

self.addEventListener('activate', (event) => event.waitUntil(takeOver()))

/**
 * Pages that are still open may load more files of their own build,
 * so the cache of the last one stays until the next update.
 */
async function takeOver() {
  const names = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== cacheName)
  await Promise.all(names.slice(0, -1).map((name) => caches.delete(name)))
  await self.clients.claim()
}

self.addEventListener('fetch', (event) => {
  const { method, url, mode } = event.request
  const { origin, pathname } = new URL(url)
  if (method !== 'GET' || origin !== location.origin) return
  if (pathname.startsWith('/assets/')) event.respondWith(fromCache(event.request))
  else if (mode === 'navigate') event.respondWith(fromNetwork(event.request, page))
  else if (pathname === configuration || files.includes(pathname))
    event.respondWith(fromNetwork(event.request, pathname))
})

/** A file that is named after its content never changes. */
const fromCache = async (request) => (await caches.match(request.url, { ignoreVary: true })) ?? fetch(request)

/** So a page is always that of the newest build, and the kept one is shown without a network only. */
async function fromNetwork(request, path) {
  const cache = await caches.open(cacheName)
  const answer = fetch(request).then((response) => {
    if (path === configuration && response.ok) cache.put(path, response.clone()).catch(() => undefined)
    return response
  })
  const kept = () => cache.match(path, { ignoreVary: true })
  const timeout = new Promise((resolve) => setTimeout(resolve, patienceMilliseconds)).then(kept)
  const first = await Promise.race([answer, timeout]).catch(kept)
  return first ?? answer
}

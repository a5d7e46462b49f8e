import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { chromiumPath, launchChromium, type SharedBrowser } from '../support/chromium.ts'

/** The rules need only a page, so they are tested without the hosts. */
const origin = 'http://focus.test'
const file = new URL('../../web/src/app/focus-rules.ts', import.meta.url)
const skip =
  chromiumPath === undefined && 'No browser was found: install chromium, or set CHROMIUM to the path of one.'
/** The rules wait for less than this. */
const restMilliseconds = 400

interface Removal {
  readonly title: string
  /** The focus is on the element with the id "lost" at first. */
  readonly body: string
  /** The selectors of the elements that are removed at once. By default, that of the lost element. */
  readonly removed?: readonly string[]
  /** Replaces the removed elements. */
  readonly added?: string
  /** Text of the element that is focused afterwards. Nothing is focused without it. */
  readonly expected?: string
}

const removals: readonly Removal[] = [
  {
    title: 'goes to the next element of the same kind',
    body: '<i><button>before</button></i><i id="gone"><button id="lost"></button></i><b><button>other</button></b><i><button>next</button></i>',
    removed: ['#gone'],
    expected: 'next',
  },
  {
    title: 'goes past an element of another class',
    body: '<i class="a" id="gone"><button id="lost"></button></i><i class="b"><button>other</button></i><i class="a"><button>next</button></i>',
    removed: ['#gone'],
    expected: 'next',
  },
  {
    title: 'goes past an element that was removed with it',
    body: '<i><button>before</button></i><i><button id="lost"></button></i><i></i><i><button>next</button></i>',
    removed: ['i:has(#lost)', 'i:empty'],
    expected: 'next',
  },
  {
    title: 'goes from the last element to the nearest before it',
    body: '<i><button>first</button></i><i><button>before</button></i><i id="gone"><button id="lost"></button></i>',
    removed: ['#gone'],
    expected: 'before',
  },
  {
    title: 'goes to the same control of the next element',
    body: '<i id="gone"><button></button><button id="lost"></button><button></button></i><i><button>one</button><button>two</button><button>three</button></i>',
    removed: ['#gone'],
    expected: 'two',
  },
  {
    title: 'goes to the last control of an element with fewer',
    body: '<i id="gone"><button></button><button></button><button id="lost"></button></i><i><button>one</button><button>two</button></i>',
    removed: ['#gone'],
    expected: 'two',
  },
  {
    title: 'goes to the card of the next element',
    body: '<i id="gone"><a href="#"></a><button id="lost"></button></i><i><a href="#" id="card-1">card</a><button>button</button></i>',
    removed: ['#gone'],
    expected: 'card',
  },
  {
    title: 'goes past a control that is disabled',
    body: '<i id="gone"><button id="lost"></button></i><i><button disabled>disabled</button></i><i><button>next</button></i>',
    removed: ['#gone'],
    expected: 'next',
  },
  {
    title: 'goes from a control to the next one',
    body: '<button id="lost"></button><button>next</button>',
    expected: 'next',
  },
  {
    title: 'goes to what has replaced the element',
    body: '<i id="gone"><button id="lost"></button></i>',
    removed: ['#gone'],
    added: '<b><button>replacement</button></b>',
    expected: 'replacement',
  },
  {
    title: 'goes past an element out of view',
    body: '<i id="gone"><button id="lost"></button></i><i><button style="position:fixed;top:-99px">above</button></i><i><button style="position:fixed;top:3000px">below</button></i><i><button>visible</button></i>',
    removed: ['#gone'],
    expected: 'visible',
  },
  {
    title: 'goes to the last button of the head of a column',
    body: '<div class="column"><p class="column-header"><button>menu</button><button>new</button></p><i id="gone"><button id="lost"></button></i></div>',
    removed: ['#gone'],
    expected: 'new',
  },
  {
    title: 'goes to the title of a panel',
    body: '<div class="panel"><h2 id="panel-title" tabindex="-1">title</h2><i id="gone"><button id="lost"></button></i></div>',
    removed: ['#gone'],
    expected: 'title',
  },
  {
    title: 'goes to the first control of a dialog',
    body: '<dialog open><button>close</button><p><i id="gone"><button id="lost"></button></i></p></dialog>',
    removed: ['#gone'],
    expected: 'close',
  },
  ...['<dialog open', '<i popover="manual"', '<i class="panel"', '<i class="page"', '<i class="toast"'].map(
    (start): Removal => ({
      title: `is left to what has removed ${start.slice(1)}`,
      body: `${start} id="gone"><button id="lost"></button></i></dialog>${start}><button>next</button></i></dialog>`,
      removed: ['#gone'],
    }),
  ),
]

describe('The focus', { skip, concurrency: 2 }, () => {
  let browser: SharedBrowser
  let script = ''
  before(async () => {
    browser = await launchChromium()
    script = stripTypeScriptTypes(await readFile(file, 'utf8'))
  })
  after(() => browser.close())

  const open = async (body: string, address = '/'): Promise<Page> => {
    const page = await (await browser.newContext()).newPage()
    await page.route(`${origin}/**`, (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname === '/focus-rules.js')
        return route.fulfill({ contentType: 'text/javascript', body: script })
      if (pathname === '/use-shortcuts.ts')
        return route.fulfill({
          contentType: 'text/javascript',
          body: "export const resultSelector = '.result'",
        })
      const start =
        '<script type="module">import { keepFocus } from "/focus-rules.js"; keepFocus(); window.ready = true</script>'
      return route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html><body>${start}<main>${body}</main>`,
      })
    })
    await page.goto(origin + address)
    await page.waitForFunction('window.ready')
    return page
  }
  /** Waits until the element with this text has the focus. */
  const isFocused = (page: Page, text: string) =>
    page.waitForFunction((wanted) => document.activeElement?.textContent.trim() === wanted, text)
  const assertNothingFocused = async (page: Page) => {
    await rest(page)
    assert.equal(await page.evaluate('document.activeElement === document.body'), true)
  }
  const rest = (page: Page) => page.waitForTimeout(restMilliseconds)

  describe('of a removed element', { concurrency: 8 }, () => {
    for (const { title, body, removed = ['#lost'], added = '', expected } of removals)
      test(title, async () => {
        const page = await open(body)
        await page.evaluate(`document.querySelectorAll('[popover]').forEach((one) => one.showPopover())`)
        await page.locator('#lost').focus()
        await page.evaluate(
          ([selectors, html]) => {
            for (const selector of selectors) {
              const gone = document.querySelector(selector)
              gone?.insertAdjacentHTML('beforebegin', html)
              gone?.remove()
            }
          },
          [removed, added] as const,
        )
        if (expected === undefined) await assertNothingFocused(page)
        else await isFocused(page, expected)
      })

    test('is left to a component that moves it soon', async () => {
      const page = await open(
        '<i id="gone"><button id="lost"></button></i><i><button>next</button></i><button id="own">own</button>',
      )
      await page.evaluate(`
        document.getElementById('lost').focus()
        window.focused = []
        addEventListener('focusin', ({ target }) => window.focused.push(target.textContent))
        document.getElementById('gone').remove()
        setTimeout(() => document.getElementById('own').focus(), 50)`)
      await rest(page)
      assert.deepEqual(await page.evaluate('window.focused'), ['own'])
    })

    test('stays nowhere if the user had left the element', async () => {
      const page = await open('<i id="gone"><button id="lost"></button></i><i><button>next</button></i>')
      await page.evaluate(`document.getElementById('lost').focus(); document.getElementById('lost').blur()`)
      await rest(page)
      await page.evaluate(`document.getElementById('gone').remove()`)
      await assertNothingFocused(page)
    })

    test('does not scroll the page', async () => {
      const page = await open(
        '<i id="gone"><button id="lost"></button></i><i><button style="position:absolute;top:95vh;height:20vh">next</button></i><p style="height:300vh">',
      )
      await page.evaluate(`document.getElementById('lost').focus(); document.getElementById('gone').remove()`)
      await isFocused(page, 'next')
      assert.equal(await page.evaluate('scrollY'), 0)
    })
    test('goes nowhere but to elements that are still there', async () => {
      const page = await open(
        '<i id="gone"><button id="lost"></button></i><i id="soon"><button>soon</button></i><i><button>next</button></i>',
      )
      await page.evaluate(`
        document.getElementById('lost').focus()
        document.getElementById('gone').remove()
        setTimeout(() => document.getElementById('soon').remove(), 50)`)
      await isFocused(page, 'next')
    })
  })

  describe('of a search', { concurrency: 8 }, () => {
    const search = '<form><input type="search" value="new"></form><a class="result" href="#">result</a>'
    const press = async (page: Page, key: string, field = 'input') => {
      await page.locator(field).press(key)
      await rest(page)
    }
    for (const key of ['Enter', 'ArrowDown'])
      test(`goes to the first result with ${key}, and submits no form`, async () => {
        const page = await open(search, '/?search=new')
        await page.locator('input').press(key)
        await isFocused(page, 'result')
      })
    test('goes to the first button of a row without a link', async () => {
      const page = await open(
        '<input type="search"><p class="row"><button disabled>no</button><button>yes</button></p>',
      )
      await page.locator('input').press('Enter')
      await isFocused(page, 'yes')
    })
    test('ignores blanks around the text', async () => {
      const page = await open(search.replace('"new"', '" new "'), '/?search=new')
      await page.locator('input').press('Enter')
      await isFocused(page, 'result')
    })
    test('waits for the results of the text', async () => {
      const page = await open(search, '/?search=old')
      await press(page, 'Enter')
      assert.equal(await page.locator('input:focus').count(), 1)
      await page.evaluate(`history.replaceState(null, '', '?search=new')`)
      await isFocused(page, 'result')
    })
    test('waits for results that are loading', async () => {
      const page = await open(`${search}<p id="list" aria-busy="true">`, '/?search=new')
      await press(page, 'Enter')
      assert.equal(await page.locator('input:focus').count(), 1)
      await page.evaluate(`document.getElementById('list').ariaBusy = 'false'`)
      await isFocused(page, 'result')
    })
    test('stays if the user goes on typing', async () => {
      const page = await open(search, '/?search=old')
      await press(page, 'Enter')
      await page.locator('input').fill('newer')
      await page.evaluate(`history.replaceState(null, '', '?search=new')`)
      await rest(page)
      assert.equal(await page.locator('input:focus').count(), 1)
    })
    test('stays where the user has moved it', async () => {
      const page = await open(`${search}<button>elsewhere</button>`, '/?search=old')
      await press(page, 'Enter')
      await page.locator('button').focus()
      await page.evaluate(`history.replaceState(null, '', '?search=new')`)
      await isFocused(page, 'elsewhere')
    })
    test('stays if results arrive late', async () => {
      const page = await open(search, '/?search=old')
      await page.clock.install()
      await page.locator('input').press('Enter')
      await page.clock.runFor(3000)
      await page.evaluate(`history.replaceState(null, '', '?search=new')`)
      await page.clock.runFor(1000)
      assert.equal(await page.locator('input:focus').count(), 1)
    })
    const state = (page: Page) =>
      page.evaluate(
        `[document.querySelector('input').value, document.activeElement.tagName, window.told].join()`,
      )
    const told = `addEventListener('input', () => { window.told = 'told' })`
    test('leaves the field with Escape after the text was cleared', async () => {
      const page = await open(search)
      await page.evaluate(
        `${told}; addEventListener('keydown', (event) => { if (event.defaultPrevented) window.told += ' prevented' })`,
      )
      await press(page, 'Escape')
      assert.equal(await state(page), ',INPUT,told prevented')
      await press(page, 'Escape')
      assert.equal(await state(page), ',BODY,told prevented')
    })
    test('keeps Enter and Escape without a text to the dialog of the field', async () => {
      const page = await open(
        `<dialog open><input type="search"></dialog>${search.slice(search.indexOf('<a'))}`,
      )
      await press(page, 'Enter')
      assert.equal(await state(page), ',INPUT,')
      await press(page, 'Escape')
      assert.equal(await state(page), ',INPUT,')
    })
    test('stays in a field of another type, or one that takes the key itself', async () => {
      const page = await open('<input value="text">')
      await press(page, 'Escape')
      assert.equal(await state(page), 'text,INPUT,')
      const own = await open('<input type="search" value="text">')
      await own.evaluate(
        `document.querySelector('input').addEventListener('keydown', (event) => event.preventDefault())`,
      )
      await press(own, 'Escape')
      assert.equal(await state(own), 'text,INPUT,')
    })
  })
})

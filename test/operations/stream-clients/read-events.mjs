// Prints a line for each event of a stream, with the EventSource of undici.
import { Agent, EventSource } from 'undici'

const { URL: address, TOKEN } = process.env
const withToken = (dispatch) => (options, handler) =>
  dispatch({ ...options, headers: { ...options.headers, authorization: `Bearer ${TOKEN}` } }, handler)
const events = new EventSource(address, { node: { dispatcher: new Agent().compose(withToken) } })
events.addEventListener('listing', () => process.stdout.write('event\n'))

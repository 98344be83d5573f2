/* A page that is read from files may not start a worker. There the search's script runs in a hidden frame instead, with
   the messages of a worker; the script knows such a frame by the name IFrameWorker. */
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      const inside = frame.contentWindow
      const load = address => new Promise((resolve, reject) => {
        const script = inside.document.createElement("script")
        script.src = new URL(address, document.baseURI)
        script.onload = resolve
        script.onerror = reject
        inside.document.head.append(script)
      })
      inside.importScripts = (...addresses) =>
        addresses.reduce((before, address) => before.then(() => load(address)), Promise.resolve())
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      this.ready = load(url)
      this.inside = inside
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })))
    }
  }
}

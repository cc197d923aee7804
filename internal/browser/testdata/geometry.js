(() => {
  // clip is what is seen of a box: its ancestors may scroll.
  const clip = (e, r) => {
    let box = { left: r.left, top: r.top, right: r.right, bottom: r.bottom };
    for (let p = e; p && p !== document.documentElement; p = p.parentElement) {
      const s = getComputedStyle(p), by = p.getBoundingClientRect();
      const clips = p.localName === "svg" ? s.overflow !== "visible" : s.overflowX !== "visible";
      if (clips && p !== document.body) {
        box = { left: Math.max(box.left, by.left), top: Math.max(box.top, by.top), right: Math.min(box.right, by.right), bottom: Math.min(box.bottom, by.bottom) };
      }
    }
    return box;
  };
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n = walker.nextNode(); n; n = walker.nextNode()) {
    const e = n.parentElement, text = n.textContent.trim();
    if (!text || !e || e.closest("script, style, title, desc, noscript, .skip") || !e.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(n);
    for (const r of range.getClientRects()) {
      const b = clip(e, r);
      if (b.right - b.left > 1 && b.bottom - b.top > 1) texts.push({ ...b, n, text });
    }
  }
  // The line box of a text is higher than its letters: a sixth of it at either side may be shared.
  for (const t of texts) {
    const by = (t.bottom - t.top) / 6;
    t.top += by;
    t.bottom -= by;
  }
  texts.sort((a, b) => a.top - b.top);
  const overlaps = [];
  for (let i = 0; i < texts.length; i++) {
    for (let k = i + 1; k < texts.length && texts[k].top < texts[i].bottom; k++) {
      const a = texts[i], b = texts[k];
      const x = Math.min(a.right, b.right) - Math.max(a.left, b.left), y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (a.n !== b.n && x > 1.5 && y > 1.5 && overlaps.length < 10) {
        overlaps.push(`"${a.text.slice(0, 40)}" and "${b.text.slice(0, 40)}" overlap by ${x.toFixed(0)} x ${y.toFixed(0)} at ${a.left.toFixed(0)}, ${(a.top + scrollY).toFixed(0)}`);
      }
    }
  }
  return { Texts: texts.length, Wide: document.documentElement.scrollWidth, Overlaps: overlaps };
})()

// Many rectangles at once: each pixel gets the mean of what lies in it, by area. So a million jobs show as what they
// are together, and nothing flickers when the view moves.

const MOST_PIXELS = 2e6;

class Raster {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.context = this.canvas.getContext("2d");
    this.view = null;  // what the canvas shows
  }

  resize(width, height, ratio) {
    const scale = Math.min(ratio, Math.sqrt(MOST_PIXELS / (width * height)));
    const w = Math.max(1, Math.round(width * scale)), h = Math.max(1, Math.round(height * scale));
    if (this.canvas.width === w && this.canvas.height === h && this.sums) return;
    this.canvas.width = w;
    this.canvas.height = h;
    this.sums = new Float32Array(w * h * 4);  // red, green, blue, covered area
    this.image = this.context.createImageData(w, h);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  paint(model, view, shades) {
    this.sums.fill(0);
    const drawn = this.add(model, view, shades);
    this.finish();
    this.view = { ...view };
    return drawn;
  }

  add(model, view, shades) {
    const { rects, bars, index } = model;
    const { width, height } = this.canvas;
    const perSecond = width / (view.t1 - view.t0), perNode = height / (view.n1 - view.n0);
    let drawn = 0;
    for (let k = 0; k < index.count && index.from[k] < view.t1; k++) {
      if (index.to[k] <= view.t0 || index.low[k] >= view.n1 || index.high[k] <= view.n0) continue;
      const end = Math.min(rects.count, (k + 1) * BLOCK);
      for (let i = k * BLOCK; i < end; i++) {
        const b = rects.bar[i];
        const x0 = Math.max(0, (bars.from[b] - view.t0) * perSecond), x1 = Math.min(width, (bars.to[b] - view.t0) * perSecond);
        if (x0 >= x1) continue;
        const y0 = Math.max(0, (rects.low[i] - view.n0) * perNode), y1 = Math.min(height, (rects.high[i] - view.n0) * perNode);
        if (y0 >= y1) continue;
        this.cover(x0, x1, y0, y1, shades.rgb[shades.of[b]]);
        drawn++;
      }
    }
    return drawn;
  }

  /// Adds the rectangle's colour to each pixel, weighted by how much of it is covered.
  cover(x0, x1, y0, y1, colour) {
    const sums = this.sums, width = this.canvas.width;
    const red = colour[0], green = colour[1], blue = colour[2];
    const c0 = Math.floor(x0), c1 = Math.ceil(x1) - 1, r1 = Math.ceil(y1) - 1;
    for (let r = Math.floor(y0); r <= r1; r++) {
      const tall = Math.min(y1, r + 1) - Math.max(y0, r);
      let at = (r * width + c0) * 4;
      for (let c = c0; c <= c1; c++, at += 4) {
        let area = tall;
        if (c === c0) area *= Math.min(x1, c + 1) - x0; else if (c === c1) area *= x1 - c;
        sums[at] += red * area;
        sums[at + 1] += green * area;
        sums[at + 2] += blue * area;
        sums[at + 3] += area;
      }
    }
  }

  finish() {
    const { sums, pixels } = this;
    for (let p = 0, at = 0; p < pixels.length; p++, at += 4) {
      const area = sums[at + 3];
      if (area < 0.004) { pixels[p] = 0; continue; }
      const alpha = area > 1 ? 255 : area * 255 + 0.5;
      pixels[p] = (alpha << 24) | ((sums[at + 2] / area) << 16) | ((sums[at + 1] / area) << 8) | (sums[at] / area);
    }
    this.context.putImageData(this.image, 0, 0);
  }

  /// Shows what is painted, moved and stretched to where it lies in `view`.
  show(context, view, box) {
    const own = this.view;
    const x = (own.t0 - view.t0) / (view.t1 - view.t0) * box.width, w = (own.t1 - own.t0) / (view.t1 - view.t0) * box.width;
    const y = (own.n0 - view.n0) / (view.n1 - view.n0) * box.height, h = (own.n1 - own.n0) / (view.n1 - view.n0) * box.height;
    context.drawImage(this.canvas, box.x + x, box.y + y, w, h);
  }
}

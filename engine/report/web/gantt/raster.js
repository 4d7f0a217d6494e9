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
    this.sums = new Float32Array(w * (h + 2) * 4);  // by columns: red, green, blue, covered area
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
        this.cover(x0, x1, y0, y1, shades.of[b], shades.rgb);
        drawn++;
      }
    }
    return drawn;
  }

  /// Adds the rectangle's colour to each pixel, weighted by how much of it is covered. A tall rectangle costs no more
  /// than a flat one: only the differences to the pixel above are written, finish() sums them up.
  cover(x0, x1, y0, y1, shade, colours) {
    const sums = this.sums, column = (this.canvas.height + 2) * 4;
    const red = colours[shade * 3], green = colours[shade * 3 + 1], blue = colours[shade * 3 + 2];
    const c0 = Math.floor(x0), c1 = Math.ceil(x1) - 1, r0 = Math.floor(y0), r1 = Math.floor(y1);
    const first = r0 + 1 - y0, last = r1 + 1 - y1;
    for (let c = c0; c <= c1; c++) {
      const wide = c === c0 ? Math.min(x1, c + 1) - x0 : c === c1 ? x1 - c : 1;
      let at = c * column + r0 * 4, part = first * wide;
      sums[at] += red * part;
      sums[at + 1] += green * part;
      sums[at + 2] += blue * part;
      sums[at + 3] += part;
      part = wide - part;
      sums[at + 4] += red * part;
      sums[at + 5] += green * part;
      sums[at + 6] += blue * part;
      sums[at + 7] += part;
      at = c * column + r1 * 4;
      part = last * wide;
      sums[at] -= red * part;
      sums[at + 1] -= green * part;
      sums[at + 2] -= blue * part;
      sums[at + 3] -= part;
      part = wide - part;
      sums[at + 4] -= red * part;
      sums[at + 5] -= green * part;
      sums[at + 6] -= blue * part;
      sums[at + 7] -= part;
    }
  }

  finish() {
    const { sums, pixels } = this, { width, height } = this.canvas;
    for (let c = 0, at = 0; c < width; c++, at += 8) {  // a column has two rows more than the picture
      let red = 0, green = 0, blue = 0, area = 0;
      for (let r = 0, p = c; r < height; r++, p += width, at += 4) {
        red += sums[at];
        green += sums[at + 1];
        blue += sums[at + 2];
        area += sums[at + 3];
        pixels[p] = area < 0.004 ? 0 : ((area > 1 ? 255 : area * 255 + 0.5) << 24) |
          (channel(blue / area) << 16) | (channel(green / area) << 8) | channel(red / area);
      }
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

/// Sums of many small numbers miss a little.
function channel(x) { return x < 0 ? 0 : x > 255 ? 255 : x; }

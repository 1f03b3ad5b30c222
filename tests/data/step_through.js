// Steps through all games of a page and notes what it shows.
const seen = [];
const note = (what) => seen.push(what);
window.onerror = (message) => note("error " + message);
const count = (selector) => document.querySelectorAll(selector).length;
const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const board = () => Array.from(document.querySelectorAll("#board .stone"),
    (stone) => stone.getAttribute("class").slice(-1) + stone.getAttribute("cx") + stone.getAttribute("cy")).sort().join();
note(document.getElementById("games").options.length + " games");
for (let index = 0; index < games.length; index++) {
    document.getElementById("games").value = index;
    document.getElementById("games").dispatchEvent(new Event("change"));
    note([count("#chances .point"), count("#moves button"), count("#board .square"), count("#board .stone")].join(" "));
    const boards = [board()];
    for (let ply = 1; ply < games[index].positions.length; ply++) {
        press("ArrowRight");
        boards.push(board());
    }
    note("changes " + boards.slice(1).filter((now, at) => now !== boards[at]).length);
    press("Home");
    note("home " + (board() === boards[0]));
    document.querySelector("#moves button:last-of-type").click();
    note("last " + (board() === boards[boards.length - 1]) + " " + count("#moves [aria-current]"));
    document.getElementById("back").click();
    // Where the menu has the focus, the keys step all the same.
    const event = new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true });
    document.getElementById("games").dispatchEvent(event);
    note("menu " + (board() === boards[boards.length - 1]) + " " + event.defaultPrevented);
    document.getElementById("back").click();
    note("back " + (board() === boards[boards.length - 2]));
}
note(document.getElementById("players").textContent);
document.getElementById("seen").textContent = seen.join("\n");

# The environment that the sandbox is measured with; harbour.js is the same in JavaScript, line by line.
import math


class HarbourMapEnv:
    max_turns = 40

    def __init__(self):
        self.width = 9
        self.height = 7
        self.directions = {"north": (0, -1), "south": (0, 1), "west": (-1, 0), "east": (1, 0)}
        self.goods = ["rope", "lamp", "barrel", "anchor"]

    def random(self):
        self.state = (self.state * 48271) % 2147483647
        return self.state / 2147483647

    def below(self, n):
        return math.floor(self.random() * n)

    def reset(self, seed):
        self.state = (seed % 2147483646) + 1
        for _ in range(5):
            self.random()
        self.turn = 0
        self.cells = []
        for _ in range(self.height):
            self.cells.append(["wall" if self.random() < 0.18 else "floor" for _ in range(self.width)])
        self.x = 1
        self.y = 1
        self.cells[1][1] = "floor"
        self.items = {}
        for good in self.goods:
            x = self.below(self.width)
            y = self.below(self.height)
            while self.cells[y][x] != "floor" or (x == 1 and y == 1) or f"{x},{y}" in self.items:
                x = self.below(self.width)
                y = self.below(self.height)
            self.items[f"{x},{y}"] = good
        self.wanted = self.goods[self.below(len(self.goods))]
        self.held = []
        self.visited = {"1,1": 1}
        rules = (
            f"You stand in a harbour of {self.width} by {self.height} fields. Find the {self.wanted} and bring it to the "
            f"gate at 1,1. Commands: go north, go south, go west, go east, take, drop NAME, look. You see the fields next to you."
        )
        return f"{rules}\n{self.view()}", {"turn": 0, "wanted": self.wanted}

    def free(self, x, y):
        return x >= 0 and y >= 0 and x < self.width and y < self.height and self.cells[y][x] == "floor"

    def view(self):
        lines = []
        for name in self.directions:
            dx, dy = self.directions[name]
            x = self.x + dx
            y = self.y + dy
            if not self.free(x, y):
                lines.append(f"{name}: wall")
            else:
                item = self.items.get(f"{x},{y}")
                lines.append(f"{name}: floor" if item is None else f"{name}: floor with a {item}")
        here = self.items.get(f"{self.x},{self.y}")
        held = "nothing" if len(self.held) == 0 else ", ".join(sorted(self.held))
        return (
            f"Turn {self.turn}. You are at {self.x},{self.y}. {'; '.join(lines)}. "
            f"{'Nothing lies here.' if here is None else f'A {here} lies here.'} You hold {held}."
        )

    def parse(self, action):
        start = action.rfind("\\boxed{")
        if start < 0:
            return None
        end = action.find("}", start)
        if end < 0:
            return None
        return [word for word in action[start + 7 : end].strip().lower().split(" ") if word != ""]

    def result(self, observation, reward, terminated):
        truncated = not terminated and self.turn >= HarbourMapEnv.max_turns
        info = {"turn": self.turn, "x": self.x, "y": self.y, "held": len(self.held)}
        return observation, reward, terminated, truncated, info

    def step(self, action):
        self.turn += 1
        words = self.parse(action)
        if words is None or len(words) == 0:
            return self.result(f"Write one command as \\boxed{{command}}. {self.view()}", 0, False)
        verb = words[0]
        if verb == "go":
            return self.go(words[1] if len(words) > 1 else None)
        if verb == "take":
            return self.take()
        if verb == "drop":
            return self.drop(words[1] if len(words) > 1 else None)
        if verb == "look":
            return self.result(self.view(), 0, False)
        return self.result(f"There is no command {verb}. {self.view()}", 0, False)

    def go(self, name):
        direction = self.directions.get(name)
        if direction is None:
            return self.result(f"There is no direction {name}. {self.view()}", 0, False)
        x = self.x + direction[0]
        y = self.y + direction[1]
        if not self.free(x, y):
            return self.result(f"A wall is in the way. {self.view()}", 0, False)
        self.x = x
        self.y = y
        key = f"{x},{y}"
        self.visited[key] = self.visited.get(key, 0) + 1
        if x == 1 and y == 1 and self.wanted in self.held:
            return self.result(f"The gate opens for the {self.wanted}.", 1, True)
        seen = len(self.visited)
        return self.result(f"You go {name}, {seen} fields seen so far. {self.view()}", 0, False)

    def take(self):
        key = f"{self.x},{self.y}"
        item = self.items.get(key)
        if item is None:
            return self.result(f"There is nothing to take. {self.view()}", 0, False)
        if len(self.held) >= 2:
            return self.result(f"Your hands are full. {self.view()}", 0, False)
        del self.items[key]
        self.held.append(item)
        return self.result(f"You take the {item}. {self.view()}", 0, False)

    def drop(self, name):
        key = f"{self.x},{self.y}"
        if name not in self.held:
            return self.result(f"You hold no {name}. {self.view()}", 0, False)
        if key in self.items:
            return self.result(f"There is no room here. {self.view()}", 0, False)
        self.held = [item for item in self.held if item != name]
        self.items[key] = name
        return self.result(f"You drop the {name}. {self.view()}", 0, False)
